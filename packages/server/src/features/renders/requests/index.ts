/** Requesting and cancelling renders. */
export { freeze, labelled, renderedPart } from './freezing.js';
export {
  cancelRender,
  createRenderRequests,
  deleteVideo,
  enqueueRenders,
  RENDER_ATTEMPTS,
  RENDER_QUEUE,
  type RenderJobData,
} from './requests.js';
