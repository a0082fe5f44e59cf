declare module 'unbzip2-stream' {
  /** A stream that decompresses bzip2. */
  export default function unbzip2(): NodeJS.ReadWriteStream;
}
