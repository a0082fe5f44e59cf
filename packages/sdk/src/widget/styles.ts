/** The look of the presenter. Pages change it by custom properties and `::part`. */
export const STYLES = `
:host {
  --_background: var(--figurehead-background, #e8ecf1);
  --_accent: var(--figurehead-accent, #1d4ed8);
  --_on-accent: var(--figurehead-on-accent, #fff);
  --_glass: var(--figurehead-control-background, rgb(15 23 42 / 72%));
  --_on-glass: var(--figurehead-control-color, #fff);
  display: block;
  position: relative;
  inline-size: min(100%, 22rem);
  aspect-ratio: 4 / 5;
  border-radius: var(--figurehead-radius, 1.25rem);
  font: 400 1rem/1.4 var(--figurehead-font, system-ui, sans-serif);
  color: #fff;
  overflow: hidden;
  isolation: isolate;
  contain: layout paint;
  box-shadow: var(--figurehead-shadow, 0 1px 2px rgb(15 23 42 / 18%), 0 12px 32px -8px rgb(15 23 42 / 32%));
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
.frame { container-type: size; position: absolute; inset: 0; background: var(--_background); border-radius: inherit; overflow: hidden; }
.frame::after {
  content: ''; position: absolute; inset: 0; border-radius: inherit; pointer-events: none;
  box-shadow: inset 0 0 0 1px rgb(127 127 127 / 22%);
}
video, canvas, .poster { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; object-fit: cover; }
.poster { object-fit: var(--figurehead-poster-fit, cover); object-position: 50% 0; }
.poster[data-crop='full'] { object-fit: contain; object-position: 50% 100%; }
.poster[data-crop='bust'] {
  inset: auto 0 0 50%; translate: -50%; inline-size: auto; block-size: min(100cqb, 145cqi); aspect-ratio: 1; max-inline-size: none;
}
video, canvas { opacity: 0; transition: opacity .25s; }
:host([state='live']) :is(video, canvas), :host([state='reconnecting']) :is(video, canvas) { opacity: 1; }
.frame.transparent video { opacity: 0 !important; }
:host([state='live']) .transparent .poster, :host([state='reconnecting']) .transparent .poster { opacity: 0; }
:host([background='transparent']) { --_background: transparent; box-shadow: var(--figurehead-shadow, none); }
:host([background='transparent']) .frame::after { content: none; }
.start {
  all: unset; position: absolute; inset: 0; cursor: pointer; display: grid; place-items: end center;
  padding-block-end: 1.25rem; z-index: 1;
}
.start span {
  display: inline-flex; align-items: center; gap: .55rem; padding: .7rem 1.25rem .7rem 1rem;
  border-radius: 99rem; background: var(--_accent); color: var(--_on-accent); font-weight: 600;
  box-shadow: 0 2px 10px rgb(15 23 42 / 35%); transition: transform .15s;
}
.start:hover span { transform: translateY(-1px); }
.start:focus-visible { outline: none; }
.start:focus-visible span, .control:focus-visible, .retry:focus-visible {
  outline: 3px solid var(--figurehead-focus, #fff); outline-offset: 2px; box-shadow: 0 0 0 6px #0f172a;
}
svg { inline-size: 1.25em; block-size: 1.25em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.controls { position: absolute; inset-block-start: .75rem; inset-inline-end: .75rem; display: flex; gap: .4rem; z-index: 2; }
.control {
  all: unset; cursor: pointer; display: grid; place-items: center; inline-size: 2.5rem; block-size: 2.5rem;
  border-radius: 99rem; background: var(--_glass); color: var(--_on-glass); backdrop-filter: blur(8px);
}
.control:hover { background: #0f172a; }
.control[aria-pressed='true'] .off, .control[aria-pressed='false'] .on { display: none; }
.label {
  position: absolute; inset-block-start: .75rem; inset-inline-start: .75rem; z-index: 1; max-inline-size: 45%; pointer-events: none;
  padding: .15em .5em; border-radius: .35em; font-size: .8125rem; font-weight: 600;
  background: var(--figurehead-caption-background, rgb(15 23 42 / 82%)); color: var(--figurehead-caption-color, #fff);
}
.captions {
  position: absolute; inset-inline: .75rem; inset-block-end: .75rem; z-index: 1; text-align: center; text-wrap: balance;
  pointer-events: none; font-size: var(--figurehead-caption-size, 1rem); font-weight: 500;
}
.captions span {
  display: inline; padding: .2em .5em; border-radius: .35em; -webkit-box-decoration-break: clone; box-decoration-break: clone;
  background: var(--figurehead-caption-background, rgb(15 23 42 / 82%)); color: var(--figurehead-caption-color, #fff); line-height: 1.65;
}
.status {
  position: absolute; inset-block-end: 1.25rem; inset-inline: 0; display: flex; justify-content: center; z-index: 1; pointer-events: none;
}
.status span {
  display: inline-flex; align-items: center; gap: .6rem; padding: .6rem 1.1rem; border-radius: 99rem;
  background: var(--_glass); color: var(--_on-glass); backdrop-filter: blur(8px);
}
.status i {
  inline-size: .6rem; block-size: .6rem; border-radius: 50%; background: currentColor; animation: pulse 1.2s ease-in-out infinite alternate;
}
.message {
  position: absolute; inset: 0; z-index: 3; display: grid; place-content: center; justify-items: center; gap: 1rem;
  padding: 1.5rem; text-align: center; text-wrap: balance; background: rgb(15 23 42 / 78%); backdrop-filter: blur(6px); overflow: auto;
}
.retry {
  all: unset; cursor: pointer; padding: .6rem 1.2rem; border-radius: 99rem; background: var(--_accent); color: var(--_on-accent); font-weight: 600;
}
@keyframes pulse { from { opacity: .35; } }
@media (prefers-reduced-motion: reduce) {
  video, canvas, .start span { transition: none; }
  .start:hover span { transform: none; }
  .status i { animation: none; }
}
@media (forced-colors: active) {
  .control, .start span, .retry, .status span { border: 1px solid; }
}
`;
