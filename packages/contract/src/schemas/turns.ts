import { type Static, Type } from '@sinclair/typebox';
import { TURN_LIMITS } from '../limits.js';

const { shortestPause, longestPause, interruptionSeconds, interruptionWords } = TURN_LIMITS;
const seconds = (
  { least, usual, most }: typeof shortestPause | typeof longestPause | typeof interruptionSeconds,
  what: string,
) => Type.Number({ minimum: least, maximum: most, description: `${what} Seconds; ${usual} by default.` });

/** When the viewer's turn in a conversation ends, and what interrupts the agent. */
export const TurnTaking = Type.Object({
  shortestPause: seconds(shortestPause, 'Pause that ends the turn of a viewer whose words are a whole sentence.'),
  longestPause: seconds(
    longestPause,
    'Pause that ends the turn where the words are not complete, such as "I would like to"; half as much more than `shortestPause` where that is unclear. Counts where it is longer than `shortestPause`.',
  ),
  isInterruptible: Type.Boolean({
    description: 'Speech of the viewer can end an answer; true by default. Typed words always do.',
  }),
  interruptionSeconds: seconds(
    interruptionSeconds,
    'Speech of this length ends the answer. Shorter speech pauses it until its words are known.',
  ),
  interruptionWords: Type.Integer({
    minimum: interruptionWords.least,
    maximum: interruptionWords.most,
    description: `Words that end the answer, without back-channels such as "uh-huh" and "I see"; ${interruptionWords.usual} by default. After fewer words the answer goes on where it was.`,
  }),
  isPushToTalk: Type.Boolean({
    description:
      'The viewer is heard only while `{"isTalking": true}` of POST /streams/conversation/{streamId} holds, which interrupts the answer; false by default.',
  }),
  partialTranscripts: Type.Boolean({
    description:
      'Tells the words so far every second while the viewer speaks (`conversation.partial`); each is a request to the recogniser; false by default.',
  }),
});
export type TurnTaking = Static<typeof TurnTaking>;

/** Some of the settings; the others take their defaults. */
export const TurnTakingInput = Type.Partial(TurnTaking);
export type TurnTakingInput = Static<typeof TurnTakingInput>;

const DEFAULTS: TurnTaking = {
  shortestPause: shortestPause.usual,
  longestPause: longestPause.usual,
  isInterruptible: true,
  interruptionSeconds: interruptionSeconds.usual,
  interruptionWords: interruptionWords.usual,
  isPushToTalk: false,
  partialTranscripts: false,
};

/** Complete settings; later ones win. */
export function turnTaking(...inputs: readonly (TurnTakingInput | undefined)[]): TurnTaking {
  return Object.assign({}, DEFAULTS, ...inputs);
}
