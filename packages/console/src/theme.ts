import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Verdigris, the accent colour. */
const verdigris: MantineColorsTuple = [
  '#eef7f4',
  '#d8ece6',
  '#b2dacf',
  '#87c5b5',
  '#5fb09d',
  '#3f9a86',
  '#277d6c',
  '#1c6e5f',
  '#14574b',
  '#0c4038',
];

/** Warm greys instead of Mantine's blue ones. */
const gray: MantineColorsTuple = [
  '#faf9f6',
  '#f3f1ec',
  '#e8e5dd',
  '#d9d5ca',
  '#bdb8ab',
  '#928d81',
  '#6d6960',
  '#524f48',
  '#393732',
  '#22211e',
];

/** Colours of the dark scheme, the lightest first. */
const dark: MantineColorsTuple = [
  '#d6d9d6',
  '#b4bab7',
  '#949c99',
  '#58615f',
  '#38413f',
  '#2a3230',
  '#1c2221',
  '#151a19',
  '#101413',
  '#0b0e0d',
];

/** Colours, type and shapes of the console. */
export const theme = createTheme({
  primaryColor: 'verdigris',
  primaryShade: { light: 7, dark: 6 },
  colors: { verdigris, gray, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  headings: {
    fontFamily: "'Fraunces Variable', Georgia, serif",
    fontWeight: '560',
    sizes: { h1: { fontSize: '1.9rem' }, h2: { fontSize: '1.3rem' }, h3: { fontSize: '1.08rem' } },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Card: { defaultProps: { withBorder: true, padding: 'lg', radius: 'lg' } },
    Modal: {
      defaultProps: {
        radius: 'lg',
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        // The page keeps its scroll bar, so room for it would move what is behind.
        removeScrollProps: { removeScrollBar: false },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    // Not a second banner next to the page's own.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 560 } },
    // Inside the page's landmarks, for screen readers.
    Tooltip: { defaultProps: { withArrow: true, openDelay: 350, withinPortal: false } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Anchor: { defaultProps: { underline: 'hover' } },
    // A second click on the chosen option does not take it back, except in lists that may be empty.
    Select: { defaultProps: { allowDeselect: false } },
    Textarea: { defaultProps: { autosize: true } },
    ColorInput: {
      defaultProps: { format: 'hex', eyeDropperButtonProps: { 'aria-label': 'Pick a colour from the screen' } },
    },
  },
});

/** Surfaces and secondary text with enough contrast (WCAG 2.2 AA) in both schemes. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#faf9f6',
    '--mantine-color-text': '#22211e',
    '--mantine-color-dimmed': '#625e55',
    '--mantine-color-placeholder': '#6f6b62',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#14574b',
    '--mantine-color-orange-light': '#fbeedb',
    '--mantine-color-orange-light-color': '#7a4508',
    '--mantine-color-gray-light': '#efece5',
    '--mantine-color-gray-light-color': '#393732',
    '--mantine-color-red-light': '#fbe9e7',
    '--mantine-color-red-light-color': '#8f1d16',
    '--mantine-color-blue-light': '#e6eef8',
    '--mantine-color-blue-light-color': '#1d4b80',
    '--mantine-color-disabled-color': '#7f7a6f',
    '--fh-surface': '#ffffff',
    '--fh-sunken': '#f3f1ec',
    '--fh-line': '#e5e1d8',
    '--fh-accent-soft': '#e4f1ed',
    '--fh-accent-text': '#14574b',
    '--fh-brass': '#8a5a10',
    '--fh-edge-shade': 'rgb(0 0 0 / 10%)',
  },
  dark: {
    '--mantine-color-body': '#111615',
    '--mantine-color-text': '#e4e7e4',
    '--mantine-color-dimmed': '#a0a9a5',
    '--mantine-color-placeholder': '#8d9692',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-anchor': '#87c5b5',
    '--mantine-color-verdigris-light': '#1d322d',
    '--mantine-color-verdigris-light-hover': '#24403a',
    '--mantine-color-verdigris-light-color': '#9dd3c5',
    '--mantine-color-orange-light': '#362a17',
    '--mantine-color-orange-light-color': '#f0c27a',
    '--mantine-color-gray-light': '#2a3230',
    '--mantine-color-gray-light-color': '#d6d9d6',
    '--mantine-color-red-light': '#3a1f1c',
    '--mantine-color-red-light-color': '#ffb3ab',
    '--mantine-color-blue-light': '#1b2a3b',
    '--mantine-color-blue-light-color': '#a9cbf2',
    '--mantine-color-disabled': '#232a28',
    '--mantine-color-disabled-color': '#84908b',
    '--fh-surface': '#191f1e',
    '--fh-sunken': '#141918',
    '--fh-line': '#2b3331',
    '--fh-accent-soft': '#1d322d',
    '--fh-accent-text': '#9dd3c5',
    '--fh-brass': '#f0c27a',
    '--fh-edge-shade': 'rgb(255 255 255 / 14%)',
  },
});
