import { Page } from '../../shell/page.js';
import { TabPages } from '../../shell/tab-pages.js';
import { Folders } from './folders.js';
import { Fonts } from './fonts.js';
import { MediaList } from './media-list.js';

/** Media and fonts for slides, and folders of videos. */
export default function Library() {
  return (
    <Page
      title="Library"
      width={1640}
      about="Pictures, clips, sounds and fonts for your slides, and folders for your videos."
    >
      <TabPages
        tabs={[
          { value: 'media', name: 'Media', panel: <MediaList /> },
          { value: 'fonts', name: 'Fonts', panel: <Fonts /> },
          { value: 'folders', name: 'Folders', panel: <Folders /> },
        ]}
      />
    </Page>
  );
}
