/** Why an uploaded file is not taken; the message is for the person who uploaded it. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
}
