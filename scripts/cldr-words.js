// Writes packages/media/data/words/LANGUAGE.json: names of units and emoji from Unicode CLDR, for reading aloud. Their
// packages have 160 MB, so only the needed data are kept in git; `node scripts/cldr-words.js` fetches the packages from
// npm.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './paths.js';

const VERSION = '48.2.0';
const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'ru', 'tr'];
const UNITS = (
  'angle-degree area-hectare area-square-centimeter area-square-kilometer area-square-meter area-square-foot area-acre ' +
  'concentr-percent concentr-permille digital-bit digital-byte digital-gigabit digital-gigabyte digital-kilobit digital-kilobyte ' +
  'digital-megabit digital-megabyte digital-petabyte digital-terabyte duration-hour duration-microsecond duration-millisecond ' +
  'duration-minute duration-nanosecond duration-second duration-year electric-ampere electric-milliampere electric-ohm electric-volt ' +
  'energy-joule energy-kilocalorie energy-kilojoule energy-kilowatt-hour force-newton frequency-gigahertz frequency-hertz ' +
  'frequency-kilohertz frequency-megahertz graphics-megapixel graphics-pixel length-centimeter length-decimeter length-foot ' +
  'length-inch length-kilometer length-meter length-micrometer length-mile length-millimeter length-nanometer length-yard ' +
  'light-lumen light-lux mass-gram mass-kilogram mass-milligram mass-microgram mass-ounce mass-pound mass-tonne ' +
  'power-gigawatt power-horsepower power-kilowatt power-megawatt power-milliwatt power-watt pressure-bar pressure-hectopascal ' +
  'pressure-kilopascal pressure-pascal speed-kilometer-per-hour speed-meter-per-second speed-mile-per-hour ' +
  'temperature-celsius temperature-fahrenheit temperature-kelvin volume-centiliter volume-cubic-centimeter volume-cubic-meter ' +
  'volume-deciliter volume-gallon volume-hectoliter volume-liter volume-milliliter volume-tablespoon volume-teaspoon ' +
  'concentr-part-per-1e6 concentr-mole duration-day duration-week duration-month energy-electronvolt graphics-dot-per-inch ' +
  'graphics-pixel-per-inch pressure-millibar pressure-millimeter-ofhg pressure-pound-force-per-square-inch speed-knot torque-newton-meter'
).split(' ');

const folder = mkdtempSync(join(tmpdir(), 'cldr-'));
try {
  for (const name of ['cldr-units-full', 'cldr-annotations-full']) {
    const file = execFileSync('npm', ['pack', `${name}@${VERSION}`, '--silent'], {
      cwd: folder,
      encoding: 'utf8',
    }).trim();
    mkdirSync(join(folder, name));
    execFileSync('tar', ['xzf', file, '-C', name], { cwd: folder });
  }
  const out = join(root, 'packages/media/data/words');
  mkdirSync(out, { recursive: true });
  for (const language of LANGUAGES) {
    const words = { cldr: VERSION, units: unitsOf(language), emoji: emojiOf(language) };
    writeFileSync(join(out, `${language}.json`), `${JSON.stringify(words, undefined, 1)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Forms of each unit by plural category, without the number unless it is inside them, and its grammatical gender. */
function unitsOf(language) {
  const file = join(folder, 'cldr-units-full/package/main', language, 'units.json');
  const { long } = JSON.parse(readFileSync(file, 'utf8')).main[language].units;
  return Object.fromEntries(
    UNITS.map((unit) => {
      const forms = Object.entries(long[unit]).flatMap(([key, pattern]) => {
        const [, category] = /^unitPattern-count-(\w+)$/.exec(key) ?? [];
        return category === undefined ? [] : [[category, wordOf(pattern)]];
      });
      const { gender } = long[unit];
      return [unit.slice(unit.indexOf('-') + 1), { ...(gender && { gender }), ...Object.fromEntries(forms) }];
    }),
  );
}

/** A form without its number. Dutch tells degrees of an angle (`booggraad`) from others, which people do not. */
function wordOf(pattern) {
  return /^\{0\}|\{0\}$/.test(pattern)
    ? pattern
        .replace('{0}', '')
        .trim()
        .replace(/^boog(?=gra)/, '')
    : pattern;
}

/** The words of a screen reader for each pictograph. */
function emojiOf(language) {
  const file = join(folder, 'cldr-annotations-full/package/annotations', language, 'annotations.json');
  const { annotations } = JSON.parse(readFileSync(file, 'utf8')).annotations;
  const named = Object.entries(annotations).filter(
    ([sign]) => /\p{Extended_Pictographic}/u.test(sign) && !/[©®™]/u.test(sign),
  );
  return Object.fromEntries(named.map(([sign, { tts }]) => [sign, tts[0]]));
}
