import { Tabs } from '@mantine/core';
import { Page } from '../../shell/page.js';
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
      <Tabs defaultValue="media" keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="media">Media</Tabs.Tab>
          <Tabs.Tab value="fonts">Fonts</Tabs.Tab>
          <Tabs.Tab value="folders">Folders</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="media">
          <MediaList />
        </Tabs.Panel>
        <Tabs.Panel value="fonts">
          <Fonts />
        </Tabs.Panel>
        <Tabs.Panel value="folders">
          <Folders />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
