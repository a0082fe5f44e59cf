/** The browser's player of a sound, as wide as its place. */
export function SoundPlayer(props: {
  readonly label: string;
  readonly src: string | undefined;
  readonly autoPlay?: boolean;
  readonly preload?: 'none' | 'metadata';
}) {
  const { label, ...sound } = props;
  return <audio controls style={{ width: '100%' }} aria-label={label} {...sound} />;
}
