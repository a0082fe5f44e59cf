import type { ContentCredentials, Video } from '@figurehead/sdk';
import { withoutTags, wordCount } from '@figurehead/sdk/document';
import {
  Alert,
  Badge,
  Button,
  Card,
  Grid,
  Group,
  Menu,
  Progress,
  Select,
  Skeleton,
  Stack,
  TagsInput,
  Text,
  Title,
} from '@mantine/core';
import { type RefObject, Suspense, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import { languageTagOf, useVoices } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { useFolders, useVideo } from '../../api/lists.js';
import { useVideoEvents } from '../../api/video-events.js';
import { count, formatDuration, formatTime, formatWhen } from '../../lib/format.js';
import { late } from '../../lib/late.js';
import { withoutPaths } from '../../lib/problems.js';
import { isMoving, STATUS_WORDS } from '../../lib/status.js';
import { ActButton } from '../../shell/action-buttons.js';
import {
  IconAlertTriangle,
  IconChevronDown,
  IconCopy,
  IconDots,
  IconDownload,
  IconHistory,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
  IconWaveSine,
} from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { SlideSketch } from '../../shell/slide-sketch.js';
import { Loaded } from '../../shell/states.js';
import { StatusBadge } from '../../shell/status-badge.js';
import { canvasSizeOf } from '../editor/document.js';
import { useVideoActions } from '../videos/use-video-actions.js';
import { NextSteps } from './next-steps.js';
import { ShareLink } from './share-link.js';

// Rarely used, so it is loaded on demand.
const LipSyncDebugger = late(() => import('../lip-sync/lip-sync.js'));

/** One video: its player, its progress, or the reason of its failure. */
export default function VideoPage({ videoId }: { readonly videoId: string }) {
  const live = useVideoEvents();
  const video = useVideo(videoId, {
    refetchInterval: ({ state }) => (state.data && isMoving(state.data.status) ? (live ? 15_000 : 700) : false),
  });
  return (
    <Loaded query={video} height={420}>
      {(data) => <Whole video={data} />}
    </Loaded>
  );
}

function Whole({ video }: { readonly video: Video }) {
  const actions = useVideoActions(video, { afterDelete: '/videos' });
  const film = useRef<HTMLVideoElement>(null);
  const [params, setParams] = useSearchParams();
  const closer = params.get('view') === 'lip-sync' && video.status === 'ready';
  const busy = video.status === 'queued' || video.status === 'rendering';
  return (
    <Page
      title={video.name}
      from={{ href: '/videos', list: 'Videos' }}
      actions={
        <>
          <Button
            component={Link}
            href={`/videos/${video._id}/edit`}
            variant="default"
            leftSection={<IconPencil size={17} />}
          >
            Edit
          </Button>
          {busy ? (
            <ActButton act={actions.cancel} variant="default" leftSection={<IconPlayerStop size={17} />}>
              Cancel
            </ActButton>
          ) : (
            video.status !== 'ready' &&
            video.status !== 'moderation' && (
              <ActButton act={actions.render} leftSection={<IconPlayerPlay size={17} />}>
                {video.status === 'error' ? 'Render again' : 'Render'}
              </ActButton>
            )
          )}
          <Menu position="bottom-end" width={190}>
            <Menu.Target>
              <Button variant="default" px={10} aria-label="More actions">
                <IconDots size={18} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {video.status === 'ready' && (
                <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => actions.render.mutate()}>
                  Render again
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => actions.copy.mutate()}>
                Duplicate
              </Menu.Item>
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={actions.remove}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
          <Picture video={video} film={film} />
          <Links video={video} closer={closer} onCloser={() => setParams(closer ? {} : { view: 'lip-sync' })} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
          <Facts video={video} />
        </Grid.Col>
      </Grid>
      {closer && (
        <Suspense fallback={<Skeleton mt="lg" height={320} radius="lg" />}>
          <LipSyncDebugger videoId={video._id} film={film} />
        </Suspense>
      )}
      {params.has('first') && video.status === 'ready' && <NextSteps videoId={video._id} />}
    </Page>
  );
}

/** The film of a finished video. Otherwise how far the video is, with its last film. */
function Picture({ video, film }: { readonly video: Video; readonly film: RefObject<HTMLVideoElement | null> }) {
  if (video.status === 'ready') return <Film video={video} film={film} />;
  if (!video.lastRender) return <Progressing video={video} />;
  return (
    <Stack gap="sm">
      {video.status !== 'draft' && <Progressing video={video} />}
      <Film video={video} film={film} />
      <Alert color="orange" role="status" icon={<IconHistory />}>
        This film was rendered {formatWhen(video.lastRender.renderedAt)}. The video has changed since.
      </Alert>
    </Stack>
  );
}

/** The player of the last film. */
function Film({ video, film }: { readonly video: Video; readonly film: RefObject<HTMLVideoElement | null> }) {
  const voices = useVoices().data ?? [];
  const { width, height } = canvasSizeOf(video);
  const { url, subtitlesUrl } = video.url ? video : (video.lastRender ?? {});
  return (
    <div className="fh-frame fh-stage" style={{ aspectRatio: `${width} / ${height}` }}>
      {/* biome-ignore lint/a11y/useMediaCaption: videos made without subtitles have no track */}
      <video
        ref={film}
        controls
        playsInline
        preload="metadata"
        crossOrigin="anonymous"
        src={url}
        poster={video.thumbnail}
        aria-label={video.name}
      >
        {subtitlesUrl && (
          <track kind="subtitles" src={subtitlesUrl} srcLang={languageTagOf(video.slides, voices)} label="Subtitles" />
        )}
      </video>
    </div>
  );
}

/** What is shown in place of a film: the draft, the progress or the failure. */
function Progressing({ video }: { readonly video: Video }) {
  if (video.status === 'error') {
    return (
      <Alert color="red" role="alert" icon={<IconAlertTriangle />} title="This video could not be rendered">
        <Text>{withoutPaths(video.error ?? '')}</Text>
        <Text size="sm" mt="xs">
          Fix it in the editor, then render it again.
        </Text>
      </Alert>
    );
  }
  if (video.status === 'draft') return <Draft video={video} />;
  const percent = Math.round((video.progress ?? 0) * 100);
  return (
    <div className="fh-frame fh-stage">
      <Stack align="center" gap="sm" w="min(340px, 80%)" ta="center">
        <Title order={2}>
          {video.status === 'importing' ? 'Reading the presentation' : STATUS_WORDS[video.status].label}
        </Title>
        {(video.status === 'queued' || video.status === 'rendering' || video.status === 'importing') && (
          <Progress
            w="100%"
            animated
            value={video.status === 'rendering' ? Math.max(2, percent) : 2}
            aria-label="Progress"
          />
        )}
        <Text size="sm" c="dimmed">
          {video.status === 'rendering' ? `${percent} % · ${video.stage ?? ''}` : sentenceOf(video)}
        </Text>
      </Stack>
    </div>
  );
}

/** The first slide of a video that is not rendered. */
function Draft({ video }: { readonly video: Video }) {
  const size = canvasSizeOf(video);
  return (
    <div className="fh-frame fh-stage" style={{ aspectRatio: `${size.width} / ${size.height}` }}>
      {video.slides[0] ? <SlideSketch slide={video.slides[0]} size={size} /> : 'No slides yet'}
    </div>
  );
}

function Links(props: { readonly video: Video; readonly closer: boolean; readonly onCloser: () => void }) {
  const { video } = props;
  const { url, subtitlesUrl, srtUrl } = video.url ? video : (video.lastRender ?? {});
  if (!url) return null;
  const others = [
    { href: subtitlesUrl, name: 'Subtitles, WebVTT' },
    { href: srtUrl, name: 'Subtitles, SRT' },
    { href: video.gifUrl, name: 'Animated GIF' },
    { href: video.thumbnail, name: 'Thumbnail' },
  ].filter((one): one is { href: string; name: string } => one.href !== undefined);
  return (
    <Group mt="md" gap="xs">
      <Button component="a" href={url} download leftSection={<IconDownload size={17} />}>
        Download {/\.webm(\?|$)/.test(url) ? 'WebM' : 'MP4'}
      </Button>
      <Menu position="bottom-start" width={210}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            Other files
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map(({ href, name }) => (
            <Menu.Item key={name} component="a" href={href} download leftSection={<IconDownload size={16} />}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ShareLink url={url} />
      {video.status === 'ready' && (
        <Button
          variant={props.closer ? 'light' : 'default'}
          aria-expanded={props.closer}
          leftSection={<IconWaveSine size={17} />}
          onClick={props.onCloser}
        >
          Lip-sync
        </Button>
      )}
    </Group>
  );
}

function Facts({ video }: { readonly video: Video }) {
  const api = useApi();
  const folders = useFolders();
  const change = useAction(
    (body: { tags: string[] } | { folderId: string | null }) => api.updateVideo({ videoId: video._id, body }),
    { changes: [['video', video._id], ['videos']] },
  );
  // What was chosen is shown while it is being saved.
  const { tags, folderId } = { ...video, ...(change.isPending && change.variables) };
  const words = wordCount(withoutTags(video.slides.map((slide) => slide.speech ?? '').join(' ')));
  const facts: [name: string, value: string, title?: string][] = [
    ['Length', video.duration === undefined ? '—' : formatDuration(video.duration)],
    ['Slides', count(video.slides.length, 'slide')],
    ['Script', count(words, 'word')],
    ['Created', formatWhen(video.createdAt), formatTime(video.createdAt)],
    ['Changed', formatWhen(video.updatedAt), formatTime(video.updatedAt)],
    ...(video.render?.credentials ? [madeBy(video.render.credentials)] : []),
    ...(video.render?.reusedSegments ? [['Re-rendered', reRendered(video.render)] as [string, string]] : []),
  ];
  return (
    <Card>
      <Stack gap="sm">
        <Group gap="xs" role="status">
          <StatusBadge status={video.status} />
          {video.type === 'template' && <Badge color="orange">Template</Badge>}
          {video.deleted && <Badge color="red">Deleted</Badge>}
        </Group>
        {facts.map(([name, value, title]) => (
          <Group key={name} justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text size="sm" ta="right" title={title}>
              {value}
            </Text>
          </Group>
        ))}
        <TagsInput
          label="Tags"
          placeholder={tags.length === 0 ? 'Add a tag' : ''}
          value={tags}
          maxTags={100}
          onChange={(next) => change.mutate({ tags: next })}
        />
        <Select
          allowDeselect
          label="Folder"
          clearable
          placeholder="None"
          nothingFoundMessage="No folders yet. The library creates them."
          data={(folders.data ?? []).map((folder) => ({ value: folder._id, label: folder.name }))}
          value={folderId}
          onChange={(next) => change.mutate({ folderId: next })}
        />
        <div>
          <Text size="sm" c="dimmed" mb={4}>
            Id, for the API
          </Text>
          <Text size="xs" ff="monospace" style={{ userSelect: 'all' }}>
            {video._id}
          </Text>
        </div>
      </Stack>
    </Card>
  );
}

/** What the film's content credentials say, and who signed them. */
function madeBy({ source, signer }: ContentCredentials): [name: string, value: string, title: string] {
  const value = source === 'trainedAlgorithmicMedia' ? 'Made by AI' : 'Made by AI, with pictures of others';
  return ['Content credentials', value, `Signed by ${signer}`];
}

/** Parts of the last rendering that were reused from earlier ones. */
function reRendered({ segments, reusedSegments }: NonNullable<Video['render']>): string {
  return reusedSegments === segments
    ? 'Nothing: everything was reused'
    : `${segments - reusedSegments} of ${segments} pieces`;
}

function sentenceOf(video: Video): string {
  if (video.status === 'queued') return 'It starts as soon as a worker is free.';
  if (video.status === 'moderation') return 'A reviewer checks it before it is released.';
  return 'Pages and notes become slides.';
}
