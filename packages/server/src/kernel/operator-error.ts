/**
 * A failure that the operator can fix: its message is one clear sentence, printed without a stack; the program exits
 * with 1.
 */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
  }
}
