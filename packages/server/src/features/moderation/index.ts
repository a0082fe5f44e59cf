/** Moderation: videos that wait for review, and decisions about them. */
export { approveVideo, createReview, listCases, rejectVideo } from './moderation.js';
