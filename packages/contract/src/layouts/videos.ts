import type { Expression } from '../document/expression.js';
import type { Transition } from '../document/transition.js';
import type { Look } from './look.js';
import type { LayoutName } from './slides.js';

/** A slide of a video template: a layout, its texts by id, and the speech. */
export interface TemplateSlide {
  readonly layout: LayoutName;
  readonly texts?: Readonly<Record<string, string>>;
  readonly speech: string;
  readonly transition?: Transition;
  readonly expression?: Expression;
}

/** A template of a whole video. */
export interface VideoTemplate {
  readonly label: string;
  readonly about: string;
  /** Colours and fonts for workspaces without a brand. */
  readonly look: Partial<Look>;
  readonly slides: readonly TemplateSlide[];
}

/** Templates of videos, by name. */
export const VIDEO_TEMPLATES = {
  onboarding: {
    label: 'Welcome a new colleague',
    about: 'The first day: who we are, what comes first, whom to ask.',
    look: { background: '#fff6ef', text: '#2e2320', accent: '#b5492c' },
    slides: [
      {
        layout: 'title',
        texts: { title: 'Welcome\nto the team', subtitle: 'Your first week with us' },
        speech:
          'Welcome to the team. I am glad that you are here. In the next two minutes I will show you what your first week looks like.',
        expression: 'friendly',
      },
      {
        layout: 'agenda',
        texts: {
          title: 'Your first week',
          item1: 'Your account and your computer',
          item2: 'The people you work with',
          item3: 'Our most important rules',
          item4: 'Your first task',
        },
        speech:
          'On Monday you get your account and your computer. On Tuesday you meet the people you work with. On Wednesday we talk about our rules, and from Thursday on you have your first task.',
        transition: 'slide_left',
      },
      {
        layout: 'checklist',
        texts: {
          title: 'On your first day',
          item1: 'Sign in and choose a password',
          item2: 'Set up your e-mail',
          item3: 'Say hello in the team chat',
          item4: 'Read the safety rules',
        },
        speech:
          'On your first day, please do four things. Sign in and choose a password. Set up your e-mail. Say hello in the team chat. And read the safety rules.',
        transition: 'slide_left',
      },
      {
        layout: 'team',
        texts: { title: 'Whom you can ask' },
        speech: 'If you have a question, ask one of us. There are no stupid questions in the first year.',
        transition: 'slide_left',
      },
      {
        layout: 'thanks',
        texts: { title: 'See you soon', subtitle: 'We look forward to working with you' },
        speech: 'That is all for today. See you soon.',
        transition: 'fade',
      },
    ],
  },
  product: {
    label: 'Present a product',
    about: 'The problem, the product, its benefits, and what to do next.',
    look: { background: '#f5f5fc', text: '#1e1d33', accent: '#3f3bab' },
    slides: [
      {
        layout: 'cover',
        texts: { title: 'Meet our product', subtitle: 'In one minute' },
        speech: 'Let me show you our product in one minute.',
      },
      {
        layout: 'statement',
        texts: { title: 'Too much time goes into\nwork that could\nbe automatic.' },
        speech: 'Most teams lose hours every week to work that could be automatic. We wanted to change that.',
        transition: 'fade',
      },
      {
        layout: 'product',
        speech: 'This is what it looks like. You open it, you choose what you need, and it does the rest.',
        transition: 'slide_left',
      },
      {
        layout: 'threeCards',
        texts: { title: 'What you get' },
        speech:
          'You get three things. It is quick, because it is ready in minutes. It is simple, because there is nothing to learn. And it is safe, because your data stays with you.',
        transition: 'slide_left',
      },
      {
        layout: 'quote',
        texts: { title: 'It has changed the way\nwe work.', subtitle: 'A happy customer' },
        speech: 'Our customers say that it has changed the way they work.',
        transition: 'slide_left',
      },
      {
        layout: 'callToAction',
        speech: 'Would you like to try it? Visit our website and begin today.',
        transition: 'fade',
        expression: 'friendly',
      },
    ],
  },
  news: {
    label: 'Company news',
    about: 'A short news programme: a headline, the details, a number, and the outlook.',
    look: { background: '#f3f5f8', text: '#17202c', accent: '#9f1f33', headingFont: 'Roboto', bodyFont: 'Roboto' },
    slides: [
      {
        layout: 'news',
        speech: 'Good morning. Here is the news of the week.',
      },
      {
        layout: 'bullets',
        texts: { title: 'What happened' },
        speech:
          'Three things happened this week. First, we opened our new office. Second, the spring release is out. And third, two new colleagues joined us.',
        transition: 'slide_left',
      },
      {
        layout: 'number',
        texts: { value: '340', title: 'new customers\nsince January' },
        speech: 'The number of the week: three hundred and forty new customers since January.',
        transition: 'slide_left',
      },
      {
        layout: 'milestones',
        texts: { title: 'What comes next' },
        speech: 'And this is what comes next.',
        transition: 'slide_left',
      },
      {
        layout: 'thanks',
        texts: { title: 'Until next week' },
        speech: 'That was the news. Until next week.',
        transition: 'fade',
      },
    ],
  },
  report: {
    label: 'Quarterly report',
    about: 'Figures with charts: results, the trend, goals, and the plan.',
    look: { background: '#f4f8fb', text: '#16242f', accent: '#17507f', headingFont: 'Lato', bodyFont: 'Lato' },
    slides: [
      {
        layout: 'title',
        texts: { title: 'Quarterly\nreport', subtitle: 'Results, trend and plan' },
        speech: 'Welcome to our quarterly report.',
      },
      {
        layout: 'numbers',
        texts: { title: 'The quarter in numbers' },
        speech:
          'Revenue grew by twelve percent. We won three hundred and forty new customers, and they rate us four point eight of five stars.',
        transition: 'slide_left',
      },
      {
        layout: 'barChart',
        speech: 'Growth has become faster from quarter to quarter, and the last one was the strongest of the year.',
        transition: 'slide_left',
      },
      {
        layout: 'progress',
        speech: 'We have reached our first goal almost completely. The second and the third need more time.',
        transition: 'slide_left',
      },
      {
        layout: 'agenda',
        texts: {
          title: 'The plan',
          item1: 'Finish the second goal',
          item2: 'Grow the team',
          item3: 'Open a new market',
          item4: 'Keep our promise on quality',
        },
        speech: 'This is our plan for the next quarter.',
        transition: 'slide_left',
      },
      { layout: 'thanks', speech: 'Thank you for your work and for your attention.', transition: 'fade' },
    ],
  },
  training: {
    label: 'Training course',
    about: 'One lesson: the goal, a term, the steps, a question to check.',
    look: {},
    slides: [
      {
        layout: 'section',
        texts: { number: '1', title: 'The first\nlesson' },
        speech: 'Welcome to the first lesson.',
      },
      {
        layout: 'bullets',
        texts: { title: 'What you will learn' },
        speech: 'After this lesson you will know what the term means, how the work is done, and what to look out for.',
        transition: 'slide_left',
      },
      {
        layout: 'definition',
        speech: 'Let us begin with the term itself, and with what it means.',
        transition: 'slide_left',
      },
      {
        layout: 'process',
        speech: 'The work has three steps. First you prepare, then you do it, and finally you check the result.',
        transition: 'slide_left',
      },
      {
        layout: 'question',
        texts: { title: 'What comes before\nthe check?' },
        speech: 'Now a question for you: what comes before the check? Take a moment to think about it.',
        transition: 'slide_left',
      },
      {
        layout: 'thanks',
        texts: { title: 'Well done' },
        speech: 'Well done. See you in the next lesson.',
        transition: 'fade',
        expression: 'friendly',
      },
    ],
  },
  howTo: {
    label: 'How-to guide',
    about: 'A task in three steps, with what is needed before.',
    look: { background: '#fdf8e8', text: '#2b2717', accent: '#7a5a08' },
    slides: [
      {
        layout: 'process',
        texts: { title: 'How to do it in three steps' },
        speech: 'In this video I show you how to do it, in three steps.',
      },
      {
        layout: 'checklist',
        speech: 'Before you begin, make sure that you have everything you need.',
        transition: 'slide_left',
      },
      { layout: 'step', speech: 'This is the first step.', transition: 'slide_left' },
      {
        layout: 'step',
        texts: { kicker: 'Step 2', title: 'What to do next' },
        speech: 'Now the second step.',
        transition: 'slide_left',
      },
      {
        layout: 'step',
        texts: { kicker: 'Step 3', title: 'How to finish' },
        speech: 'And here is the last step.',
        transition: 'slide_left',
      },
      {
        layout: 'callToAction',
        texts: { title: 'Any questions?' },
        speech: 'If you have any questions, write to us.',
        transition: 'fade',
      },
    ],
  },
  sales: {
    label: 'Personal offer',
    about: 'A greeting by name for each customer: make it a template and render it from a list.',
    look: { background: '#f8f3fb', text: '#271c33', accent: '#6d2f8f' },
    slides: [
      {
        layout: 'title',
        texts: { title: 'Hello,\n{{name}}', subtitle: 'An offer for {{company}}' },
        speech: 'Hello {{name}}. I have prepared something for {{company}}.',
        expression: 'friendly',
      },
      {
        layout: 'threeCards',
        texts: { title: 'What we do for {{company}}' },
        speech: 'There are three things that we can do for {{company}}.',
        transition: 'slide_left',
      },
      { layout: 'pricing', speech: 'These are our plans. I suggest the one in the middle.', transition: 'slide_left' },
      {
        layout: 'callToAction',
        texts: { title: 'Shall we talk,\n{{name}}?' },
        speech: 'Shall we talk, {{name}}? Choose a time that suits you.',
        transition: 'fade',
      },
    ],
  },
  event: {
    label: 'Invitation',
    about: 'An event: what, when, the programme, and how to register.',
    look: { background: '#17161f', text: '#f6f2e9', accent: '#e2b24d', headingFont: 'Playfair Display' },
    slides: [
      {
        layout: 'cover',
        texts: { title: 'You are invited', subtitle: '12 June · Our house' },
        speech: 'You are invited! On the twelfth of June we open our doors.',
        expression: 'excited',
      },
      {
        layout: 'introduction',
        speech: 'I will be your host, and I look forward to meeting you.',
        transition: 'fade',
      },
      {
        layout: 'milestones',
        texts: {
          title: 'The programme',
          item1Title: '10:00',
          item2Title: '12:00',
          item3Title: '14:00',
          item4Title: '17:00',
          item1: 'Welcome\nand tour',
          item2: 'Lunch\ntogether',
          item3: 'Talks and\nworkshops',
          item4: 'Music and\ndrinks',
        },
        speech:
          'We begin at ten with a tour, have lunch together at twelve, talks and workshops in the afternoon, and music in the evening.',
        transition: 'slide_left',
      },
      {
        layout: 'callToAction',
        texts: { title: 'Save your seat', body: 'Places are limited. Register by the end of May.' },
        speech: 'Places are limited, so please register by the end of May. See you there.',
        transition: 'fade',
      },
    ],
  },
  customerStory: {
    label: 'Customer story',
    about: 'Before and after, a quote, and the result in numbers.',
    look: { background: '#f0f8f8', text: '#152626', accent: '#0e6472', headingFont: 'Playfair Display' },
    slides: [
      {
        layout: 'quote',
        texts: { title: 'We have got our evenings back.', subtitle: 'A small team, one year later' },
        speech: 'We have got our evenings back. That is what a small team told us, and this is their story.',
      },
      {
        layout: 'beforeAfter',
        speech: 'Before, everything was done by hand. Today most of it happens by itself.',
        transition: 'slide_left',
      },
      {
        layout: 'introduction',
        texts: { title: 'Name of the customer', subtitle: 'What they do' },
        speech: 'In their own words.',
        transition: 'slide_left',
      },
      {
        layout: 'numbers',
        texts: { title: 'What changed' },
        speech: 'And these are the numbers behind it.',
        transition: 'slide_left',
      },
      {
        layout: 'thanks',
        texts: { title: 'Your story next?' },
        speech: 'Will your story be the next one?',
        transition: 'fade',
      },
    ],
  },
  decision: {
    label: 'Explain a decision',
    about: 'Two options, what speaks for and against them, and the choice.',
    look: { background: '#1d2730', text: '#f2f5f7', accent: '#7fc4e8' },
    slides: [
      {
        layout: 'question',
        texts: { title: 'Which way\ndo we take?', body: 'What we chose, and why,\nin one minute.' },
        speech: 'Which way do we take? We have made a decision, and I would like to explain it to you.',
      },
      { layout: 'comparison', speech: 'There were two ways to do it.', transition: 'slide_left' },
      {
        layout: 'prosCons',
        speech: 'This is what speaks for the first one, and what speaks against it.',
        transition: 'slide_left',
      },
      { layout: 'table', speech: 'And here are both of them at a glance.', transition: 'slide_left' },
      {
        layout: 'statement',
        texts: { title: 'We choose the first\noption, and begin\nin May.' },
        speech: 'We choose the first option, and begin in May.',
        transition: 'fade',
      },
    ],
  },
} as const satisfies Readonly<Record<string, VideoTemplate>>;
export type TemplateName = keyof typeof VIDEO_TEMPLATES;
