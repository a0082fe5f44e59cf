import { Button, Modal, Select, Skeleton, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { Suspense, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAvatars } from '../../api/catalogue.js';
import { contains } from '../../lib/contains.js';
import { late } from '../../lib/late.js';
import { IconCamera, IconSearch, IconUserSquareRounded } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';
import { PresenterCard } from './presenter-card.js';
import { PresenterDetails } from './presenter-details.js';

// Rarely used, so it is loaded on demand.
const PhotoStudio = late(() => import('./photo-studio.js'));

const KINDS = [
  { value: 'presenter', label: 'Built in' },
  { value: 'photo', label: 'From a photo or video' },
];

/** All presenters for videos and live streams. */
export default function Presenters() {
  const avatars = useAvatars();
  const [params, setParams] = useSearchParams();
  const [words, setWords] = useInputState('');
  const [kind, setKind] = useState<string | null>(null);
  const making = params.get('new') === 'photo';
  const close = () => setParams({}, { replace: true });
  const chosen = avatars.data?.find((avatar) => avatar.id === params.get('id'));
  return (
    <Page
      title="Presenters"
      width={1640}
      about="Presenters for your videos and live streams. Open one for a preview."
      actions={
        <Button leftSection={<IconCamera size={18} />} onClick={() => setParams({ new: 'photo' })}>
          From a photo or video
        </Button>
      }
    >
      <Loaded query={avatars}>
        {(all) => {
          const kinds = KINDS.filter(({ value }) => all.some((avatar) => avatar.type === value));
          // What was made here is found at once.
          const own = [...all].sort((a, b) => Number(b.type === 'photo') - Number(a.type === 'photo'));
          const shown = own.filter(
            (avatar) => (kind === null || avatar.type === kind) && contains(`${avatar.name} ${avatar.code}`, words),
          );
          if (all.length === 0) {
            return (
              <Empty icon={<IconUserSquareRounded />} title="No presenters yet">
                This server has no presenter packs. Ask the administrator, or create one from a photo.
              </Empty>
            );
          }
          return (
            <>
              <div className="fh-filters">
                <TextInput
                  label="Find"
                  placeholder="Name"
                  leftSection={<IconSearch size={16} />}
                  value={words}
                  onChange={setWords}
                />
                {kinds.length > 1 && (
                  <Select
                    label="Kind"
                    allowDeselect
                    clearable
                    placeholder="Any"
                    data={kinds}
                    value={kind}
                    onChange={setKind}
                  />
                )}
              </div>
              {shown.length === 0 && (
                <Empty icon={<IconUserSquareRounded />} title="No presenter with this name">
                  Try fewer letters.
                </Empty>
              )}
              <div className="fh-tiles">
                {shown.map((avatar) => (
                  <PresenterCard key={avatar.id} avatar={avatar} onOpen={() => setParams({ id: avatar.id })} />
                ))}
              </div>
            </>
          );
        }}
      </Loaded>
      <Modal opened={chosen !== undefined} onClose={close} size="lg" title={chosen?.name}>
        {chosen && <PresenterDetails avatar={chosen} onGone={close} />}
      </Modal>
      <Modal opened={making} onClose={close} size="xl" title="A presenter of your own">
        <Suspense fallback={<Skeleton h={{ base: 322, sm: 282 }} radius="lg" aria-busy="true" />}>
          <PhotoStudio onDone={close} />
        </Suspense>
      </Modal>
    </Page>
  );
}
