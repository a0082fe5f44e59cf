/** An uploaded file was refused; the message is for the user who uploaded it. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
}
