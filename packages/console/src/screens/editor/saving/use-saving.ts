import {
  AuthenticationError,
  etagOf,
  FigureheadError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
  type Video,
} from '@figurehead/sdk';
import { useWindowEvent } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { describeError, useApi, useSession } from '../../../api/client.js';
import { browserStorage } from '../../../lib/browser-entries.js';
import { tell } from '../../../lib/notices.js';
import { draftOf } from '../document.js';
import type { EditorStore } from '../store.js';
import { type KeptDrafts, openKeptDrafts } from './kept-drafts.js';
import { Saving, type Server, UNTITLED } from './saving.js';
import type { Version } from './state.js';

/** Saves the document of an editor while it is open. */
export function useSaving(video: Video, store: EditorStore): { readonly saving: Saving; readonly drafts: KeptDrafts } {
  const server = useServer(video._id);
  const session = useSession().data;
  const [{ saving, drafts }] = useState(() => {
    const kept = openKeptDrafts(browserStorage(), {
      workspaceId: session?.workspace._id ?? '',
      userId: session?.user._id ?? '',
      videoId: video._id,
      editorId: String(Math.random()).slice(2),
    });
    const opened = versionOf(video);
    return { drafts: kept, saving: new Saving({ store, server, drafts: kept, opened, repeats: mayPass }) };
  });

  useEffect(() => {
    const stop = saving.start();
    return () => {
      stop();
      if (saving.isUnsaved()) saving.flush().catch((error: unknown) => tell(leftBehind(error, saving.keep())));
    };
  }, [saving]);
  useWindowEvent('online', () => {
    // A failure is shown by the state.
    if (store.getState().saving.step === 'failed') saving.flush().catch(() => undefined);
  });
  useWindowEvent('pagehide', () => void saving.keep());
  useWindowEvent('beforeunload', (event) => {
    if (saving.isUnsaved()) event.preventDefault();
  });
  return { saving, drafts };
}

function useServer(videoId: string): Server {
  const api = useApi();
  const queries = useQueryClient();
  return {
    async save({ name, slides, data }, etag) {
      const body = { name: name.trim() || UNTITLED, slides: [...slides], data: { ...data } };
      const video = await api.updateVideo({ videoId, body }, { ifMatch: etag });
      queries.setQueryData(['video', videoId], video);
      void queries.invalidateQueries({ queryKey: ['videos'] });
      return versionOf(video);
    },
    read: async () => versionOf(await api.readVideo({ videoId })),
  };
}

function versionOf(video: Video): Version {
  return { draft: draftOf(video), etag: etagOf(video) };
}

/** Failures of the connection and of the server pass; what the server refuses, it refuses again. */
function mayPass(error: unknown): boolean {
  const refusals = [AuthenticationError, ForbiddenError, NotFoundError, ValidationError];
  return error instanceof FigureheadError && !refusals.some((refusal) => error instanceof refusal);
}

function leftBehind(error: unknown, isKept: boolean) {
  const fate = isKept
    ? 'Your changes are kept in this browser. Open the video again to save them.'
    : 'Your last changes are lost.';
  return { id: 'saving', failed: 'Not saved', message: `${describeError(error)} ${fate}` };
}
