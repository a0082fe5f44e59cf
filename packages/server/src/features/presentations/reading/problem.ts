/** A presentation cannot become a video; the message is for the user who uploaded it. */
export class PresentationProblem extends Error {
  override readonly name = 'PresentationProblem';
}
