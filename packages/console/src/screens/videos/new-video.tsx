import { Modal, Tabs } from '@mantine/core';
import { Suspense } from 'react';
import { late } from '../../lib/late.js';
import { Waiting } from '../../shell/states.js';
import { QuickVideo } from './quick-video.js';

const TemplatePicker = late(() => import('../start/template-picker.js'));

/** A video from a script, or from a template. */
export function NewVideo(props: { readonly opened: boolean; readonly onClose: () => void; readonly tab?: 'template' }) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="New video" size="xl">
      <Tabs defaultValue={props.tab ?? 'script'} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="script">From a script</Tabs.Tab>
          <Tabs.Tab value="template">From a template</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="script">
          <QuickVideo />
        </Tabs.Panel>
        <Tabs.Panel value="template">
          <Suspense fallback={<Waiting />}>
            <TemplatePicker />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Modal>
  );
}
