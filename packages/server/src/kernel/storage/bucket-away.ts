/** The bucket does not answer, or not now. */
export class BucketAway extends Error {
  constructor(bucket: string, cause: unknown) {
    super(`the bucket ${bucket} does not answer`, { cause });
    this.name = 'BucketAway';
  }
}
