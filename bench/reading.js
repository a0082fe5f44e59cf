// Accuracy of text reading by language and class on packages/media/data/reading, with a list of errors.
// Run `node bench/reading.js` after `npm run build`; `node bench/reading.js de` prints the errors of German only, and
// `node bench/reading.js de dense/` those of the dense sentences (packages/media/data/reading/dense).
import { readingAccuracy } from '../packages/media/dist/speech/text/reading/corpus.js';

const percent = ({ right, pairs }) => `${((100 * right) / pairs).toFixed(1)} % of ${pairs}`;
const languages = readingAccuracy(process.argv[3]).filter(({ language }) => (process.argv[2] ?? language) === language);
for (const accuracy of languages) {
  console.log(`\n${accuracy.language}: ${percent(accuracy)}`);
  for (const [kind, counts] of accuracy.classes) console.log(`  ${kind.padEnd(14)}${percent(counts)}`);
  for (const [kind, written, expected, said] of accuracy.wrong) {
    console.log(`  wrong (${kind}): “${written}” is “${expected}”, said “${said.trim()}”`);
  }
}
