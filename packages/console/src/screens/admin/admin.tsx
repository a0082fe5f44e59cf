import { useSession } from '../../api/client.js';
import { Page } from '../../shell/page.js';
import { TabPages } from '../../shell/tab-pages.js';
import { Machines } from './machines.js';
import { Outbox } from './outbox.js';
import { Plans } from './plans.js';
import { Review } from './review.js';
import { Workspaces } from './workspaces.js';

/** Review of videos; and for administrators: workspaces, plans, machines. */
export default function Admin() {
  const session = useSession().data;
  const operator = session?.user.operator ?? false;
  const owner = session?.role === 'owner';
  const tabs = [
    ...(operator ? [{ value: 'workspaces', name: 'Workspaces', panel: <Workspaces /> }] : []),
    { value: 'review', name: 'Review', panel: <Review /> },
    ...(operator
      ? [
          { value: 'machines', name: 'Hosts and workers', panel: <Machines /> },
          { value: 'plans', name: 'Plans', panel: <Plans /> },
        ]
      : []),
    ...(owner ? [{ value: 'mail', name: 'Outbox', panel: <Outbox /> }] : []),
  ];
  return (
    <Page
      title={operator ? 'Administration' : owner ? 'Review and mail' : 'Review'}
      width={operator ? 1480 : 1180}
      about={
        operator
          ? 'Workspaces of this server, and its machines.'
          : `Videos waiting for review${owner ? ', and e-mails that this server could not send' : ''}.`
      }
    >
      <TabPages tabs={tabs} />
    </Page>
  );
}
