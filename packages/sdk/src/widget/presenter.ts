import type { StreamEvent } from '@figurehead/contract';
import { createClient } from '../client.js';
import { canDrawPresenter } from '../drawn-presenter.js';
import type { LiveStream, LiveStreamOptions, Utterance } from '../live-stream.js';
import { canShowTransparent } from '../transparent-picture.js';
import { type KeepLiveOptions, keepLive } from './keep-live.js';
import { PresenterView, type WidgetState } from './view.js';

/** Maximum side of the requested picture, px: a presenter on a page is small, and each pixel costs the server time. */
const MAX_SIDE = 640;
/** Maximum characters of a caption. */
const CAPTION_LENGTH = 72;
const OBSERVED = [
  'token',
  'avatar',
  'server',
  'poster',
  'muted',
  'captions',
  'background',
  'label',
  'ai-label',
  'start-label',
  'microphone',
  'drawing',
] as const;

/** Details of the events of a `<figurehead-presenter>`; each is a `CustomEvent` that bubbles. */
export interface PresenterEvents {
  /** The stream is live: `say` speaks from now on. */
  readonly ready: { readonly streamId: string };
  readonly speaking: { readonly id: string | undefined };
  /** All speech has ended or was interrupted. */
  readonly idle: { readonly id: string | undefined };
  /** The caption changed; empty when there is none. */
  readonly captions: { readonly text: string };
  /** What the agent does, in a conversation. */
  readonly conversation: { readonly state: NonNullable<StreamEvent['state']> };
  /** What the viewer said. */
  readonly heard: { readonly text: string };
  /** What the agent said. */
  readonly said: { readonly text: string };
  readonly error: { readonly message: string; readonly error: unknown };
  readonly ended: { readonly reason: string };
}

// Modules that only mention the class are also loaded where there is no DOM.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * `<figurehead-presenter token="…" avatar="…">`: a live presenter. Attributes: `server` (base URL of the Figurehead server; the script served by
 * it knows it), `poster`, `background` (#rrggbb or `transparent`, behind the presenter), `autoplay` (starts muted, when it is seen), `muted`, `captions="off"`,
 * `label` (its name), `ai-label` (text over its picture, such as `Made with AI`, from the beginning; the workspace's label appears with the stream), `start-label`, `microphone` (the viewer speaks to the token's agent; `microphone="muted"` begins muted),
 * `drawing` (`auto`: the page draws the presenter where it can, instead of video; `viewer`: also where that is slow). It starts when the viewer clicks, when `start()` or `say()` is called, or with `autoplay`.
 */
export class FigureheadPresenter extends Base {
  static readonly observedAttributes = OBSERVED;
  /** Base URL of the server for elements without the attribute `server`. */
  static server: string | undefined;

  #view: PresenterView | undefined;
  #state: WidgetState = 'waiting';
  #stream: LiveStream | undefined;
  #session: AbortController | undefined;
  #ready: Promise<LiveStream> | undefined;
  #caption = '';
  /** Of the workspace, once a stream was opened. */
  #aiLabel: string | undefined;
  /** The video of the stream has opacity in its lower half. */
  #transparentVideo = false;
  #sight: IntersectionObserver | undefined;
  readonly #leave = () => this.stop();

  connectedCallback(): void {
    this.#view ??= new PresenterView(this.attachShadow({ mode: 'open' }), {
      start: () => this.#quietly(this.start()),
      stop: () => this.stop(),
      mute: () => {
        this.muted = !this.muted;
      },
      captions: () => {
        this.captions = !this.captions;
      },
      microphone: () => this.setAttribute('microphone', this.#isMicrophoneMuted ? '' : 'muted'),
    });
    addEventListener('pagehide', this.#leave);
    this.#render();
    this.#enter('waiting');
    if (!this.hasAttribute('autoplay')) return;
    this.muted = true;
    this.#sight = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.#sight?.disconnect();
      this.#quietly(this.start());
    });
    this.#sight.observe(this);
  }

  disconnectedCallback(): void {
    removeEventListener('pagehide', this.#leave);
    this.#sight?.disconnect();
    // Moving it within the page disconnects and connects it in one step.
    queueMicrotask(() => {
      if (!this.isConnected) this.stop();
    });
  }

  attributeChangedCallback(): void {
    this.#render();
  }

  get state(): WidgetState {
    return this.#state;
  }

  get muted(): boolean {
    return this.hasAttribute('muted');
  }
  set muted(muted: boolean) {
    this.toggleAttribute('muted', muted);
  }

  get captions(): boolean {
    return this.getAttribute('captions') !== 'off';
  }
  set captions(on: boolean) {
    this.setAttribute('captions', on ? 'on' : 'off');
  }

  /** Functions that the agent's tools call, by name; set them before the start. */
  tools: NonNullable<LiveStreamOptions['tools']> = {};

  get #isMicrophoneMuted(): boolean {
    return this.getAttribute('microphone') === 'muted';
  }

  /** Goes live; resolves when it is. Idempotent while it is live. Rejects with why it could not. */
  async start(): Promise<void> {
    await this.#live();
  }

  /** Speaks a text after what is already queued; starts first where needed. Resolves when it is accepted; `finished` says how it ended. */
  async say(text: string): Promise<Utterance> {
    return (await this.#live()).speak(text);
  }

  /** Says something to the agent in writing, instead of the microphone; starts first where needed. */
  async tell(text: string): Promise<void> {
    await (await this.#live()).tell(text);
  }

  /** Cuts the speech and drops what is queued. Also fine when nothing plays. */
  async interrupt(): Promise<void> {
    await this.#stream?.interrupt();
  }

  /** Ends the stream. */
  stop(): void {
    this.#session?.abort();
  }

  #live(): Promise<LiveStream> {
    if (this.#ready !== undefined) return this.#ready;
    const session = new AbortController();
    this.#session = session;
    let waiting = this.#wait();
    const ready = waiting.promise;
    this.#enter('connecting');
    this.#keepLive(session.signal, {
      onLive: (stream) => {
        this.#wire(stream);
        waiting.resolve(stream);
        this.#quietly(this.#play());
        this.#enter('live');
        this.#tell('ready', { streamId: stream.id });
      },
      onLost: () => {
        waiting = this.#wait();
        this.#stream = undefined;
        this.#showCaption('');
        this.#enter('reconnecting');
      },
    }).then(
      (reason) => {
        waiting.reject(new Error(`The stream has ended: ${reason}.`));
        this.#end(session.signal.aborted ? undefined : reason);
      },
      (error: unknown) => {
        waiting.reject(error);
        if (session.signal.aborted) this.#end(undefined);
        else this.#fail(error);
      },
    );
    return ready;
  }

  /** What `say` waits for until there is a connection. */
  #wait() {
    const wait = withResolvers<LiveStream>();
    this.#ready = wait.promise;
    return wait;
  }

  async #keepLive(signal: AbortSignal, hear: Pick<KeepLiveOptions, 'onLive' | 'onLost'>): Promise<string> {
    return keepLive({ client: this.#client(), settings: () => this.#settings(), signal, ...hear });
  }

  /** Sound needs a click on the page first: without one the presenter starts muted, and the viewer finds the button. */
  async #play(): Promise<void> {
    const video = this.#view?.video;
    if (video === undefined) return;
    try {
      await video.play();
    } catch (error) {
      const { name } = error as DOMException;
      // The stream went away meanwhile: what comes next plays by itself.
      if (name === 'AbortError') return;
      if (name !== 'NotAllowedError') throw error;
      this.muted = true;
      await video.play();
    }
  }

  #client() {
    const server = this.getAttribute('server') ?? FigureheadPresenter.server;
    const token = this.getAttribute('token');
    if (server === undefined) throw new Error('<figurehead-presenter> needs the attribute "server".');
    if (token === null) throw new Error('<figurehead-presenter> needs the attribute "token".');
    return createClient({
      baseUrl: server,
      token,
      maxRateLimitWaitSeconds: 20,
      // The call that closes the stream is sent even while the page goes away.
      fetch: (url, init) => fetch(url, { ...init, keepalive: init?.method === 'DELETE' }),
    });
  }

  #settings(): LiveStreamOptions {
    const { width, height } = this.getBoundingClientRect();
    const scale = MAX_SIDE / Math.max(width, height, 1);
    const side = (px: number) => Math.max(128, 2 * Math.round((px * Math.min(scale, devicePixelRatio)) / 2));
    const avatarCode = this.getAttribute('avatar');
    const isTransparent = this.getAttribute('background') === 'transparent' && canShowTransparent();
    const drawing = this.#drawing();
    this.#transparentVideo = isTransparent;
    this.#view?.showPicture(drawing ? 'drawn' : this.#videoPicture);
    return {
      width: side(width),
      height: side(height),
      background: isTransparent ? 'transparent' : this.#background(),
      ...(avatarCode === null ? {} : { avatarCode }),
      microphone: this.hasAttribute('microphone'),
      tools: this.tools,
      ...(this.#view && { video: this.#view.video, ...(drawing && { canvas: this.#view.canvas, drawing }) }),
    };
  }

  get #videoPicture(): 'transparent' | 'video' {
    return this.#transparentVideo ? 'transparent' : 'video';
  }

  /** How this page draws the presenter; undefined for video. */
  #drawing(): 'viewer' | 'auto' | undefined {
    const wanted = this.getAttribute('drawing');
    if (wanted === 'viewer') return wanted;
    return wanted === 'auto' && canDrawPresenter() ? wanted : undefined;
  }

  #wire(stream: LiveStream): void {
    this.#stream = stream;
    this.#aiLabel = stream.aiLabel;
    this.#render();
    if (!stream.isDrawn) this.#view?.showPicture(this.#videoPicture);
    stream.on('video', () => this.#view?.showPicture(this.#videoPicture));
    stream.on('connection', (state) => {
      if (this.#stream === stream) this.#enter(state === 'connected' ? 'live' : 'reconnecting');
    });
    stream.on('conversation.state', ({ state }) => {
      if (state !== undefined) this.#tell('conversation', { state });
    });
    stream.on('conversation.heard', ({ text = '' }) => this.#tell('heard', { text }));
    stream.on('conversation.said', ({ text = '' }) => this.#tell('said', { text }));
    stream.on('conversation.failed', ({ error = '' }) => this.#tell('error', { message: error, error }));
    stream.on('speech.started', ({ id }) => {
      this.#showCaption('');
      this.#tell('speaking', { id });
    });
    stream.on('speech.word', ({ text = '' }) => {
      const longer = `${this.#caption} ${text}`.trim();
      this.#showCaption(longer.length > CAPTION_LENGTH ? text : longer);
    });
    for (const type of ['speech.ended', 'speech.interrupted'] as const) {
      stream.on(type, ({ id, error }) => {
        this.#showCaption('');
        if (error !== undefined) this.#tell('error', { message: error, error });
        this.#tell('idle', { id });
      });
    }
  }

  #end(reason: string | undefined): void {
    this.#leaveStream();
    this.#enter(
      reason === undefined ? 'waiting' : 'ended',
      reason === undefined ? '' : `The stream has ended: ${reason}.`,
    );
    this.#tell('ended', { reason: reason ?? 'stopped' });
  }

  #fail(error: unknown): void {
    this.#leaveStream();
    const message = error instanceof Error ? error.message : String(error);
    this.#enter('failed', message);
    this.#tell('error', { message, error });
  }

  #leaveStream(): void {
    this.#view?.showPicture('video');
    this.#stream = undefined;
    this.#ready = undefined;
    this.#session = undefined;
    this.#showCaption('');
  }

  #enter(state: WidgetState, message?: string): void {
    this.#state = state;
    this.setAttribute('state', state);
    this.#view?.show(state, message);
  }

  #showCaption(text: string): void {
    if (text === this.#caption) return;
    this.#caption = text;
    this.#view?.showCaption(this.captions ? text : '');
    this.#tell('captions', { text });
  }

  #background(): string {
    const given = this.getAttribute('background') ?? '';
    return /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(given) ? given : '#e8ecf1';
  }

  #render(): void {
    const view = this.#view;
    if (view === undefined) return;
    const server = this.getAttribute('server') ?? FigureheadPresenter.server;
    const token = this.getAttribute('token');
    const given = this.getAttribute('poster');
    if (given !== null) view.showPoster(given);
    else if (server === undefined || token === null) view.showPoster(undefined);
    else view.showServerPoster((crop) => posterUrl(server, token, crop));
    view.showLabel(this.#aiLabel || this.getAttribute('ai-label') || '');
    view.describe(this.getAttribute('label') ?? 'Presenter', this.getAttribute('start-label') ?? 'Start');
    view.video.muted = this.muted;
    const microphone = this.#stream?.microphone;
    if (microphone) microphone.enabled = !this.#isMicrophoneMuted;
    const microphoneMuted = this.hasAttribute('microphone') ? this.#isMicrophoneMuted : undefined;
    view.showToggles({ muted: this.muted, captions: this.captions, microphoneMuted });
    view.showCaption(this.captions ? this.#caption : '');
    this.style.setProperty('--figurehead-background', this.#background());
  }

  #tell<T extends keyof PresenterEvents>(type: T, detail: PresenterEvents[T]): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** For calls without an awaiting caller: a failure is shown and emitted as an event. */
  #quietly(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.#state !== 'failed' && this.#state !== 'waiting') this.#fail(error);
    });
  }
}

interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers<T>(): Resolvers<T> {
  let settle: Omit<Resolvers<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Awaiting callers get the error; a failure is shown in any case.
  promise.catch(() => undefined);
  return { promise, ...(settle as Omit<Resolvers<T>, 'promise'>) };
}

function posterUrl(server: string, token: string, crop: string): string {
  return `${server.replace(/\/$/, '')}/embed/poster?crop=${crop}&token=${encodeURIComponent(token)}`;
}

/** Makes the element known to the page, once. */
export function definePresenter(): void {
  if (customElements.get('figurehead-presenter') === undefined)
    customElements.define('figurehead-presenter', FigureheadPresenter);
}
