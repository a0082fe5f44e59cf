import { Card, Tabs } from '@mantine/core';
import { useDeferredValue, useEffect, useState } from 'react';
import { useAvatars } from '../../../api/catalogue.js';
import { useEditor, useEditorState } from '../store.js';
import { ObjectPanel } from './object-panel.js';
import { SlidePanel } from './slide-panel.js';
import { VideoPanel } from './video-panel.js';

/** The properties of the slide, of the selection, and of the whole video. */
export function SidePanel() {
  const [tab, setTab] = useState<string | null>('slide');
  // The tab changes at once; its many fields follow when the browser has time.
  const shown = useDeferredValue(tab);
  const avatars = useAvatars().data ?? [];
  const { setData } = useEditor();
  const slideId = useEditorState(({ draft, at }) => draft.slides[at]?.id);
  const isFirst = useEditorState(({ at }) => at === 0);
  const data = useEditorState(({ draft }) => draft.data);
  const selected = useEditorState((state) => state.selected);
  // A selection opens its properties.
  useEffect(() => {
    if (selected.length > 0) setTab('object');
  }, [selected]);
  return (
    <Card padding="md">
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List grow mb="md">
          <Tabs.Tab value="slide">Slide</Tabs.Tab>
          <Tabs.Tab value="object">Objects</Tabs.Tab>
          <Tabs.Tab value="video">Video</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="slide">
          {shown === 'slide' && slideId !== undefined && (
            <SlidePanel key={slideId} isFirst={isFirst} avatars={avatars} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="object">{shown === 'object' && <ObjectPanel />}</Tabs.Panel>
        <Tabs.Panel value="video">{shown === 'video' && <VideoPanel data={data} onChange={setData} />}</Tabs.Panel>
      </Tabs>
    </Card>
  );
}
