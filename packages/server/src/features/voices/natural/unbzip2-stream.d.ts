declare module 'unbzip2-stream' {
  /** A stream that takes bzip2 and gives what was packed. */
  export default function unbzip2(): NodeJS.ReadWriteStream;
}
