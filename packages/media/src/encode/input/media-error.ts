/** Why a user's media file cannot be used; the message is for users. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
}
