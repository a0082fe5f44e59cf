import { PREVIEW_LINK_SECONDS } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { pageOf } from '../../kernel/database/page.js';
import type { Http } from '../../kernel/http/contract.js';
import { requireDiskSpace } from '../../kernel/storage/disk-space.js';
import { loadLiveVideo } from '../videos/index.js';
import { findSlide, speakSlide } from './slide-speech.js';
import type { Voices } from './voices.js';

/** Serves voices. */
export function bindVoices(http: Http, kernel: Kernel, voices: Voices): void {
  http.bind('listVoices', { handle: ({ caller }) => voices.list(caller.workspace.id) });
  http.bind('saveVoice', {
    handle: async ({ caller, body }) => {
      await voices.save(caller.workspace, body);
      return body;
    },
  });
  http.bind('listVoiceClones', {
    handle: async ({ caller, query }) => pageOf('clones', await voices.clones.list(caller.workspace.id), query),
  });
  http.bind('createVoiceClone', {
    handle: ({ caller, body, signal }) => voices.clones.create(caller, body, signal),
  });
  http.bind('deleteVoiceClone', {
    resource: ({ caller, params }) => voices.clones.load(caller, params.cloneId),
    handle: ({ resource }) => voices.clones.remove(resource),
  });
  http.bind('listPronunciations', {
    handle: async ({ caller, query }) =>
      pageOf('pronunciations', await voices.pronunciations.list(caller.workspace.id), query),
  });
  http.bind('savePronunciations', {
    handle: async ({ caller, body }) => ({
      pronunciations: await voices.pronunciations.save(caller.workspace.id, body.pronunciations),
    }),
  });
  http.bind('previewVoice', {
    handle: async ({ caller, body, signal }) => {
      await requireDiskSpace(kernel, 0);
      const { key, duration, text } = await voices.preview(caller.workspace.id, body, signal);
      return { url: kernel.objects.link(key, PREVIEW_LINK_SECONDS), duration, text };
    },
  });
  http.bind('synthesizeSlide', {
    resource: async ({ caller, params }) => {
      const video = await loadLiveVideo(kernel, caller, params.videoId);
      return { video, slide: findSlide(video, params.slideId) };
    },
    handle: async ({ resource, body, signal }) => {
      await requireDiskSpace(kernel, 0);
      return speakSlide(kernel, voices, { ...resource, change: body ?? {}, signal });
    },
  });
}
