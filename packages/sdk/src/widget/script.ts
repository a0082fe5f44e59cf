// The script that a Figurehead server serves at /embed/figurehead.js: defines the element, and exchanges messages with
// the page around an iframe.
import { definePresenter, FigureheadPresenter, type PresenterEvents } from './presenter.js';

const EVENTS = [
  'ready',
  'speaking',
  'idle',
  'captions',
  'conversation',
  'heard',
  'said',
  'error',
  'ended',
] as const satisfies (keyof PresenterEvents)[];

FigureheadPresenter.server = new URL('..', import.meta.url).href;
definePresenter();

const framed = document.querySelector<FigureheadPresenter>('figurehead-presenter[framed]');
if (framed !== null && parent !== window) speakWithParent(framed);

/** Only pages that the token allows can frame this one, so the parent is one of them. */
function speakWithParent(presenter: FigureheadPresenter): void {
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data !== 'object' || data === null) return;
    const { type, text } = data as { type?: unknown; text?: unknown };
    const work = act(presenter, type, text);
    work?.catch((error: unknown) => post('error', { message: error instanceof Error ? error.message : String(error) }));
  });
  for (const type of EVENTS)
    presenter.addEventListener(type, (event) => {
      const { error: _error, ...detail } = (event as CustomEvent<Record<string, unknown>>).detail;
      post(type, detail);
    });
}

function act(presenter: FigureheadPresenter, type: unknown, text: unknown): Promise<unknown> | undefined {
  if (type === 'figurehead:start') return presenter.start();
  if (type === 'figurehead:interrupt') return presenter.interrupt();
  if (type === 'figurehead:say' && typeof text === 'string') return presenter.say(text);
  if (type === 'figurehead:tell' && typeof text === 'string') return presenter.tell(text);
  if (type === 'figurehead:stop') presenter.stop();
  return undefined;
}

function post(type: string, detail: object): void {
  parent.postMessage({ type: `figurehead:${type}`, detail }, '*');
}
