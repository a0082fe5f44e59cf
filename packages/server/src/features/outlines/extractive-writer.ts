import type { Brief, ChapterDraft, Writer } from './contract.js';
import { MAX_CHAPTERS } from './contract.js';
import { localeOf } from './languages.js';
import { choose, likeness, weighTerms } from './ranking.js';
import { divide, type Section, titleOf } from './sections.js';
import { plain, splitSentences, wordsOf } from './sentences.js';
import { templateChapters } from './templates.js';

const SUMMARY_SENTENCES = 2;
const SCRIPT_SENTENCES = 7;

/**
 * Writes outlines without a language model, using only sentences of the source, so it adds no facts. Without a source
 * the items of the prompt become chapters; without items, a template for the title is used.
 */
export function createExtractiveWriter(): Writer {
  // The scripts of one outline are written one after the other, so its source is divided once.
  const divisions = new WeakMap<Brief, Section[]>();
  return {
    chapters: async (brief, count) => {
      const locale = localeFor(brief);
      const sections = sectionsOf(brief, locale, count);
      const drafts = sections.map((section) => draftOf(section));
      const wanted = count ?? (drafts.length === 0 ? undefined : drafts.length);
      return drafts.length === wanted ? drafts : pad(drafts, brief, locale, wanted);
    },
    script: async (brief, chapters, index) => {
      const chapter = chapters[index];
      if (chapter === undefined) throw new RangeError(`expected a chapter at ${index} of ${chapters.length}`);
      const locale = localeFor(brief);
      const sections = divisions.get(brief) ?? divide(brief.source ?? '', locale, chapters.length);
      divisions.set(brief, sections);
      return scriptOf(chapter, sections, locale);
    },
  };
}

function localeFor({ language, title, source }: Brief): string {
  return localeOf(language, `${title} ${source?.slice(0, 1000) ?? ''}`);
}

function sectionsOf({ source, prompt }: Brief, locale: string, count: number | undefined): Section[] {
  if (source !== null && /[\p{L}\p{N}]/u.test(source)) return divide(source, locale, count);
  const items = itemsOf(prompt);
  const sections = items.map((item) => ({ heading: plain(item), sentences: splitSentences(item, locale) }));
  return sections.slice(0, count ?? MAX_CHAPTERS);
}

/** Lines of a prompt that form a list. A single item does not count as a list. */
function itemsOf(prompt: string | null): string[] {
  const items = (prompt ?? '').split('\n').filter((line) => /^\s*(?:[-*+•–]|\d{1,3}[.)])\s+\S/.test(line));
  return items.length > 1 ? items : [];
}

function draftOf(section: Section): ChapterDraft {
  const { sentences } = section;
  const summary = choose(sentences, new Set(), SUMMARY_SENTENCES).map(({ text }) => text);
  return { title: titleOf(section), summary: joined(summary) };
}

/** Fills up the chapters of a short source with template chapters; the template's last one stays at the end. */
function pad(drafts: readonly ChapterDraft[], brief: Brief, locale: string, count: number | undefined): ChapterDraft[] {
  const template = templateChapters(brief.title, locale, count);
  if (drafts.length === 0) return template;
  const [first, ...rest] = template;
  if (first === undefined) return [];
  // The template's introduction, the source's chapters, and the template's end.
  return [first, ...drafts, ...rest.slice(drafts.length)].slice(0, count);
}

function scriptOf(chapter: ChapterDraft, sections: readonly Section[], locale: string): string {
  const about = new Set(wordsOf(`${chapter.title} ${chapter.summary}`, locale));
  const weights = weighTerms(sections.flatMap(({ sentences }) => sentences));
  const nearest = sections
    .map((section) => {
      const terms = new Set(section.sentences.flatMap((sentence) => [...sentence.terms]));
      const isSame = titleOf(section) === chapter.title;
      return { section, score: likeness(terms, about, weights) + (isSame ? 1 : 0) };
    })
    .sort((a, b) => b.score - a.score)[0];
  if (nearest === undefined || nearest.score === 0) return chapter.summary || chapter.title;
  return joined(choose(nearest.section.sentences, about, SCRIPT_SENTENCES).map(({ text }) => text));
}

/** Joins sentences; list items and headings get a full stop, so that a voice pauses. */
function joined(sentences: readonly string[]): string {
  const ended = sentences.map((text) => (/[.!?。！？…।؟:;]["'”’»)\]]*$/u.test(text) ? text : `${text}.`));
  return ended.join(' ');
}
