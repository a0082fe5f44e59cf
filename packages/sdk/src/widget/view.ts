import { showTransparent } from '../transparent-picture.js';
import { STYLES } from './styles.js';

/** Where a presenter is. */
export type WidgetState = 'waiting' | 'connecting' | 'live' | 'reconnecting' | 'ended' | 'failed';

/** Actions of the viewer. */
export interface ViewActions {
  readonly start: () => void;
  readonly stop: () => void;
  readonly mute: () => void;
  readonly captions: () => void;
  readonly microphone: () => void;
}

const icon = (name: string, path: string) =>
  `<svg class="${name}" viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;
const SPEAKER = '<path d="M4 9v6h4l5 4V5L8 9z"/>';
const MICROPHONE = '<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M6 11a6 6 0 0 0 12 0M12 17v4"/>';

const PAGE = `
<div class="frame" part="frame">
  <img class="poster" part="poster" alt="" hidden>
  <video part="video" playsinline autoplay></video>
  <canvas part="video" aria-hidden="true" hidden></canvas>
</div>
<p class="label" part="label" hidden></p>
<p class="captions" part="captions" aria-live="off" hidden><span></span></p>
<p class="status" role="status"><span part="status" hidden><i></i><b></b></span></p>
<button class="start" type="button"><span part="start">${icon('play', '<path d="M7 5v14l12-7z" fill="currentColor"/>')}<b></b></span></button>
<div class="controls" part="controls" role="group" hidden>
  <button class="control mute" part="button mute" type="button" aria-label="Mute">
    ${icon('off', `${SPEAKER}<path d="M17 9a4 4 0 0 1 0 6M19.5 6.5a8 8 0 0 1 0 11"/>`)}
    ${icon('on', `${SPEAKER}<path d="m17 10 4 4m0-4-4 4"/>`)}
  </button>
  <button class="control cc" part="button captions-button" type="button" aria-label="Captions">
    ${icon('on', '<rect x="3" y="5" width="18" height="14" rx="3" fill="currentColor"/><path stroke="#0f172a" d="M10.5 10.5a2 2 0 1 0 0 3m6.5-3a2 2 0 1 0 0 3"/>')}
    ${icon('off', '<rect x="3" y="5" width="18" height="14" rx="3"/><path d="M10.5 10.5a2 2 0 1 0 0 3m6.5-3a2 2 0 1 0 0 3"/>')}
  </button>
  <button class="control mic" part="button microphone" type="button" aria-label="Mute microphone" hidden>
    ${icon('off', MICROPHONE)}
    ${icon('on', `${MICROPHONE}<path d="M4 4l16 16"/>`)}
  </button>
  <button class="control stop" part="button stop" type="button" aria-label="End">${icon('cross', '<path d="m7 7 10 10M17 7 7 17"/>')}</button>
</div>
<div class="message" part="message" role="alert" hidden><p></p><button class="retry" part="retry" type="button">Try again</button></div>
`;

/** The shadow tree of a presenter: shows state, captions and messages, and reports button presses. */
export class PresenterView {
  readonly video: HTMLVideoElement;
  readonly canvas: HTMLCanvasElement;
  #stopTransparent: (() => void) | undefined;
  readonly #root: ShadowRoot;

  constructor(root: ShadowRoot, actions: ViewActions) {
    this.#root = root;
    // A style sheet made by script is fine with every content security policy of the page.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = PAGE;
    this.video = this.#find<HTMLVideoElement>('video');
    this.canvas = this.#find<HTMLCanvasElement>('canvas');
    this.#on('.start', actions.start);
    this.#on('.retry', actions.start);
    this.#on('.stop', actions.stop);
    this.#on('.mute', actions.mute);
    this.#on('.cc', actions.captions);
    this.#on('.mic', actions.microphone);
  }

  /** @param name of the presenter, for screen readers. */
  describe(name: string, startLabel: string): void {
    this.video.setAttribute('aria-label', `${name}, live`);
    this.#find('.controls').setAttribute('aria-label', `Controls of ${name}`);
    this.#find('.start b').textContent = startLabel;
    this.#find('.start').setAttribute('aria-label', `${startLabel}: ${name}`);
  }

  /** The picture before the start; without one, none. A picture that does not load is left out. */
  showPoster(url: string | undefined): void {
    const poster = this.#find<HTMLImageElement>('.poster');
    poster.hidden = url === undefined;
    poster.onerror = () => {
      poster.hidden = true;
    };
    if (url !== undefined && poster.src !== url) poster.src = url;
  }

  /** The server's picture, which covers the same area as the presenter of the stream: no jump at the start. */
  showServerPoster(urlOf: (crop: 'full' | 'bust') => string): void {
    const { width, height } = this.#root.host.getBoundingClientRect();
    // As streams do: a wide picture shows the whole plate, others head and shoulders.
    const crop = width > height * 1.1 ? 'full' : 'bust';
    this.#find('.poster').dataset['crop'] = crop;
    this.showPoster(urlOf(crop));
  }

  /** Shows the video, a canvas on which it is put together from colours and opacity, or one on which the presenter is drawn. */
  showPicture(how: 'video' | 'transparent' | 'drawn'): void {
    this.#stopTransparent?.();
    this.#stopTransparent = how === 'transparent' ? showTransparent(this.video, this.canvas) : undefined;
    this.canvas.hidden = how === 'video';
    this.#find('.frame').classList.toggle('transparent', how !== 'video');
  }

  /** @param message why it ended or failed. */
  show(state: WidgetState, message = ''): void {
    const isLive = state === 'live' || state === 'reconnecting';
    const hadFocus = this.#root.activeElement !== null;
    this.#find('.start').hidden = state !== 'waiting';
    this.#find('.controls').hidden = !isLive && state !== 'connecting';
    this.#find('.message').hidden = state !== 'ended' && state !== 'failed';
    this.#find('.message p').textContent = message;
    this.#find('.retry').textContent = state === 'ended' ? 'Start again' : 'Try again';
    const isBusy = state === 'connecting' || state === 'reconnecting';
    this.#find('.status span').hidden = !isBusy;
    this.#find('.status b').textContent = isBusy ? `${state === 'connecting' ? 'Connecting' : 'Reconnecting'}…` : '';
    // Who works with the keyboard does not lose the place when the focused button goes away.
    if (hadFocus && this.#root.activeElement === null) this.#find(isLive || isBusy ? '.mute' : '.retry').focus();
  }

  /** What the presenter is, over its picture. @param text empty: none. */
  showLabel(text: string): void {
    this.#find('.label').hidden = text === '';
    this.#find('.label').textContent = text;
  }

  /** @param text empty: none. */
  showCaption(text: string): void {
    this.#find('.captions').hidden = text === '';
    this.#find('.captions span').textContent = text;
  }

  /** Which of the toggles are on; the viewer's microphone is `undefined` where there is none. */
  showToggles(on: {
    readonly muted: boolean;
    readonly captions: boolean;
    readonly microphoneMuted: boolean | undefined;
  }): void {
    const microphone = this.#find('.mic');
    microphone.hidden = on.microphoneMuted === undefined;
    microphone.setAttribute('aria-pressed', String(on.microphoneMuted));
    this.#find('.mute').setAttribute('aria-pressed', String(on.muted));
    this.#find('.cc').setAttribute('aria-pressed', String(on.captions));
  }

  #find<T extends HTMLElement = HTMLElement>(selector: string): T {
    const found = this.#root.querySelector<T>(selector);
    if (found === null) throw new Error(`the presenter has no ${selector}`);
    return found;
  }

  #on(selector: string, act: () => void): void {
    this.#find(selector).addEventListener('click', act);
  }
}
