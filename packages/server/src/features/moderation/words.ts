/**
 * Words that send a video to a reviewer in the mode `flagged`. Lower case; a word here also finds its plural in `s`.
 * The list is short on purpose: it contains only words that most operators would want to review.
 */
export const FLAGGED_WORDS: readonly string[] = [
  'assassinate',
  'beheading',
  'bomb',
  'bombing',
  'child abuse',
  'cocaine',
  'ethnic cleansing',
  'explosive',
  'fentanyl',
  'genocide',
  'heroin',
  'hitman',
  'holocaust',
  'jihad',
  'kill',
  'lynch',
  'massacre',
  'meth',
  'murder',
  'nazi',
  'porn',
  'pornography',
  'rape',
  'self-harm',
  'shooting',
  'suicide',
  'terrorist',
  'torture',
];
