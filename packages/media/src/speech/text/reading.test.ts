import { describe, expect, it } from 'vitest';
import { prepareSentences } from './prepare.js';

/** What people write, and what is said for it. */
const READINGS: readonly (readonly [locale: string, written: string, said: string])[] = [
  ['en-US', 'It costs $5.99 or €1,250.50.', 'It costs 5 dollars and 99 cents or 1250 euros and 50 cents.'],
  ['en-US', '$5 million, $0.50, £3, £2.01', '5 million dollars, 50 cents, 3 pounds, 2 pounds and 1 penny'],
  ['en-US', 'Meet at 3 pm or 3:30 p.m. today.', 'Meet at 3 P M or 3 30 P M today.'],
  [
    'en-US',
    'The 2nd, 21st and 112th of 33rd St.',
    'The second, twenty first and one hundred twelfth of thirty third Street.',
  ],
  ['en-US', 'In the 1990s and the ’80s', 'In the nineteen nineties and the eighties'],
  ['en-US', 'Dr. Smith lives on Main St. near St. Mary.', 'Doctor Smith lives on Main Street near Saint Mary.'],
  [
    'en-US',
    'Write to info@example.com or see example.org/docs.',
    'Write to info at example dot com or see example dot org slash docs.',
  ],
  ['en-US', 'At 14:30, 9:05 and 10:00.', "At 14 30, 9 oh 5 and 10 o'clock."],
  [
    'en-US',
    'On 3/4/2025 and April 3, 1999 and 3 May',
    'On March fourth, 2025 and April third, nineteen ninety nine and the third of May',
  ],
  ['en-US', '10–12 people, 9:00-17:00, 5-7%', "10 to 12 people, 9 o'clock to 17 hundred, 5 to 7 percent"],
  ['en-US', '100 km/h, 20 %, 5.5%', '100 kilometers per hour, 20 percent, 5.5 percent'],
  ['en-US', '#6 on 2024-12-01', 'number 6 on December first, 2024'],
  ['en-US', '1–0 win, 555-1234, F-16', '1 to 0 win, 555-1234, F-16'],
  ['en-US', 'The U.S. has 50 states. 5 a.m.', 'The U.S. has 50 states. 5 A M.'],
  ['en-US', 'version 2.0 of v1.2.3, 1,000,000', 'version 2.0 of v1.2.3, 1,000,000'],
  ['en-US', 'in 1905, in 2005', 'in nineteen oh five, in 2005'],
  ['en-US', 'Mr. and Mrs. Dr. Jones vs. Prof. Lee', 'Mr. and Mrs. Doctor Jones versus Prof. Lee'],
  [
    'de-DE',
    'Das kostet 5,99 € oder €1.250,50 bzw. 3 €.',
    'Das kostet 5 Euro 99 oder 1250 Euro 50 beziehungsweise 3 Euro.',
  ],
  ['de-DE', 'Um 14:30 Uhr und 9:05 Uhr, 10:00 Uhr.', 'Um 14 Uhr 30 und 9 Uhr 5 , 10 Uhr .'],
  [
    'de-DE',
    'In den 1990er Jahren, im Jahr 1999, seit 1805',
    'In den neunzehnhundertneunziger Jahren, im Jahr neunzehnhundertneunundneunzig, seit achtzehnhundertfünf',
  ],
  ['de-DE', '10–12 Leute, 5-7 %, 20%', '10 bis 12 Leute, 5 bis 7 Prozent, 20 Prozent'],
  ['de-DE', 'Am 3. Mai 2025, am 12.04. um 8 Uhr', 'Am dritten Mai 2025, am zwölften April um 8 Uhr'],
  ['de-DE', 'info@beispiel.de, www.beispiel.de', 'info ät beispiel Punkt de, beispiel Punkt de'],
  ['de-DE', '100 km/h, 5 kg', '100 Kilometer pro Stunde, 5 Kilogramm'],
  ['de-DE', 'Dr. Weber, Prof. Klein, St. Gallen', 'Doktor Weber, Professor Klein, Sankt Gallen'],
  ['de-DE', 'von 9:00–17:00 Uhr', 'von 9 Uhr bis 17 Uhr'],
  ['fr-FR', 'Cela coûte 5,99 € ou 1 250,50 €.', 'Cela coûte 5 euros 99 ou 1 250 euros 50 .'],
  ['fr-FR', 'À 14h30, 9h ou 10:00.', 'À 14 heures 30, 9 heures ou 10 heures.'],
  ['fr-FR', 'le 1er mai, la 1re fois, le 2e jour', 'le premier mai, la première fois, le deuxième jour'],
  ['fr-FR', 'Mme Dupont et M. Petit, Dr Morel', 'madame Dupont et monsieur Petit, docteur Morel'],
  ['fr-FR', '10–12 personnes, 20 %', '10 à 12 personnes, 20 pour cent'],
  ['fr-FR', 'le 01/05/2025', 'le premier mai 2025'],
  ['fr-FR', '100 km/h', '100 kilomètres par heure'],
  ['es-ES', 'Cuesta 5,99 € o 1.250,50 €.', 'Cuesta 5 euros con 99 céntimos o 1250 euros con 50 céntimos .'],
  ['es-ES', 'A las 14:30 h o 10:00.', 'A las 14 y 30 o 10 en punto.'],
  ['es-ES', 'El 1.º y la 2ª', 'El primero y la segunda'],
  ['es-ES', 'Sr. López y Sra. Ruiz, Ud. dice', 'señor López y señora Ruiz, usted dice'],
  ['es-ES', '10–12 personas, 20 %', '10 a 12 personas, 20 por ciento'],
  ['es-ES', 'el 01/05/2025, 100 km/h', 'el primero de mayo de 2025, 100 kilómetros por hora'],
  ['it-IT', 'Costa 5,99 € o 1.250,50 €.', 'Costa 5 euro e 99 o 1250 euro e 50 .'],
  ['it-IT', 'Alle 14:30 o 10:00.', 'Alle 14 e 30 o 10.'],
  ['it-IT', 'Il 1º e la 2ª', 'Il primo e la seconda'],
  ['it-IT', 'Sig. Rossi e dott. Bianchi, ecc.', 'signor Rossi e dottor Bianchi, eccetera.'],
  ['it-IT', '10–12 persone, 20%', '10 a 12 persone, 20 per cento'],
  ['it-IT', 'il 01/05/2025', 'il primo maggio 2025'],
  ['pt-BR', 'Custa 5,99 € ou R$ 5,00.', 'Custa 5 Euros e 99 cêntimos ou 5 Reais brasileiros.'],
  ['pt-BR', 'Às 14:30 ou 14h.', 'Às 14 horas e 30 ou 14 horas.'],
  ['pt-BR', 'O 1º e a 2ª', 'O primeiro e a segunda'],
  ['pt-BR', 'Sr. Silva e Dra. Souza, etc.', 'senhor Silva e doutora Souza, et cetera.'],
  ['pt-BR', '10–12 pessoas, 20%', '10 a 12 pessoas, 20 por cento'],
  ['pt-BR', 'em 01/05/2025', 'em primeiro de maio de 2025'],
];

describe('what people write', () => {
  it.each(READINGS)('in %s, “%s”, is said as “%s”', (locale, written, said) => {
    const tokens = [...prepareSentences(written, locale, {})].flatMap((sentence) => sentence.tokens);
    const words = tokens.map(({ spoken }) => spoken).filter((spoken) => spoken !== '');
    expect(words.join(' ')).toBe(said);
    // Whatever is said, the words are those of the text.
    for (const { text, start, end } of tokens) expect(written.slice(start, end)).toBe(text);
  });
});
