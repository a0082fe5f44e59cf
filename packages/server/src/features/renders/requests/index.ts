/** Asking for renders and stopping them. */
export { freeze, renderedPart } from './freezing.js';
export {
  cancelRender,
  deleteVideo,
  enqueueRenders,
  RENDER_ATTEMPTS,
  RENDER_QUEUE,
  type RenderJob,
  requestRender,
} from './requests.js';
