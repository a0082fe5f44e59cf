import { readFileSync } from 'node:fs';
import type { CatalogueVoice } from '../../contract.js';
import type { SherpaModel } from './model.js';

/** Public copies of the Piper project's voices, best first. */
const ADDRESSES = ['https://huggingface.co', 'https://hf-mirror.com'];
const REPOSITORY = 'rhasspy/piper-voices';

/** What the terms of an ancestor are. */
const ANCESTORS: Readonly<Record<string, string>> = {
  lessac: 'finetuned from lessac, whose recordings are for research only',
  ryan: 'finetuned from ryan, whose recordings are CC-BY-NC-SA-4.0',
  unknown: 'its authors do not say whether it was finetuned from another voice',
};

/** Piper voices of `packages/media/data/piper-voices.tsv`, whose sizes and checksums are those of the project's list, and whose licences are those of its model cards. */
export function piperCatalogue(): (SherpaModel & {
  readonly speakers: readonly unknown[];
  readonly samples: string;
})[] {
  const table = readFileSync(new URL('../../../../data/piper-voices.tsv', import.meta.url), 'utf8');
  return table.trim().split('\n').slice(1).map(modelOf);
}

function modelOf(row: string) {
  const [name = '', gender, licence = '', ancestor = '', bytes, md5 = '', jsonBytes, jsonMd5 = ''] = row.split('\t');
  const [code = '', speaker = '', quality = ''] = name.split('-');
  const { locale, language } = piperLanguage(code);
  const folder = `${code.split('_')[0]}/${code}/${speaker}/${quality}`;
  const file = (path: string, size: string | undefined, sum: string) => {
    const urls = ADDRESSES.map(
      (address) => `${address}/${REPOSITORY}/resolve/main/${folder}/${encodeURIComponent(path)}`,
    );
    return { root: '', urls, bytes: Number(size), md5: sum };
  };
  const title = `${speaker.charAt(0).toUpperCase()}${speaker.slice(1).replaceAll('_', ' ')}`;
  return {
    ...{ name, title: `${title}, ${quality.replace('_', '-')}`, engine: PIPER_ENGINE, languages: [language] },
    licence: ancestor === 'none' ? licence : `${licence}; ${ANCESTORS[ancestor] ?? ancestor}`,
    ...(ancestor !== 'none' && { ancestor }),
    licenceUrl: `${ADDRESSES[0]}/${REPOSITORY}/blob/main/${folder}/MODEL_CARD`,
    samples: `https://rhasspy.github.io/piper-samples/#${name}`,
    archive: file(`${name}.onnx`, bytes, md5),
    more: [file(`${name}.onnx.json`, jsonBytes, jsonMd5)],
    files: { model: `${name}.onnx`, description: `${name}.onnx.json` },
    speakers: [{ voice: name, id: 0, name: title, locale, gender: gender as CatalogueVoice['gender'] }],
  };
}

/** Piper's own files, as the project publishes them. */
export const PIPER_ENGINE = 'piper';

/** The language of a code in Piper's files, such as `de_DE`. */
export function piperLanguage(code: string): { readonly locale: string; readonly language: string } {
  const locale = code.replace('_', '-').replace(/^no\b/u, 'nb');
  return { locale, language: new Intl.DisplayNames('en', { type: 'language' }).of(locale.split('-')[0]!) ?? locale };
}
