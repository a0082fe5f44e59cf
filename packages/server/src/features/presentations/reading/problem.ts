/** A presentation cannot become a video; the message is for the user who uploaded it. */
export class PresentationProblem extends Error {
  override readonly name = 'PresentationProblem';
}

/** Of every kind of encrypted file. */
export const PASSWORD_PROBLEM = 'The presentation is protected by a password. Save it without one and try again.';
