import type { Avatar, Slide } from '@figurehead/sdk';
import type { CanvasObject, CanvasSize } from '@figurehead/sdk/document';
import { memo, useEffect, useMemo, useRef } from 'react';
import { avatarOf, looksOf, useAvatars } from '../api/catalogue.js';
import { useFontRevision } from '../api/fonts.js';
import './font-files.js';
import {
  backdropOf,
  drawableOf,
  openSetter,
  paintObject,
  type ShownPresenter,
  sceneOf,
  sourcesOf,
  unplacedPresenter,
} from './slide-painting.js';
import { usePictures } from './use-pictures.js';

/** The look of a slide's presenter: the address of its picture, and where its head is. */
export interface PresenterPicture {
  readonly src: string;
  readonly head: ShownPresenter['head'];
}

/** Where the head of presenters is that do not tell it, such as those made from a photo. */
const USUAL_HEAD = { x: 0.5, top: 0.13, chin: 0.67 };

/** The look of a slide's presenter. */
export function pictureOf(avatars: readonly Avatar[], slide: Slide): PresenterPicture | undefined {
  const code = slide.hasAvatar === false ? undefined : slide.avatar?.code;
  const avatar = code ? avatarOf(avatars, code) : undefined;
  const src = avatar && looksOf(avatar).find((look) => look.code === code)?.canvas;
  return src === undefined ? undefined : { src, head: avatar?.head ?? USUAL_HEAD };
}

/**
 * A slide as it is rendered, small enough for a hundred of them. With `local` it shows only pictures from where this server keeps its own, and
 * asks no other server.
 */
export const SlideSketch = memo(function SlideSketch(props: {
  readonly slide: Slide;
  readonly size: CanvasSize;
  readonly local?: boolean;
}) {
  const { size, local = false } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const avatars = useAvatars().data;
  const look = pictureOf(avatars ?? [], props.slide);
  // Not the whole slide: it is another one with each letter of its speech.
  const { canvas: drawn, avatar, hasAvatar } = props.slide;
  const scenes = useMemo(() => {
    const shown = local ? withoutForeign(drawn, avatars ?? []) : drawn;
    const presenter = unplacedPresenter({ canvas: drawn, avatar, hasAvatar }, size);
    const objects = [...backdropOf(shown, size), ...(shown?.objects ?? []), ...(presenter ? [presenter] : [])];
    return objects.flatMap((object) => sceneOf(object) ?? []);
  }, [drawn, avatar, hasAvatar, size, local, avatars]);
  const pictures = usePictures([...sourcesOf(scenes), ...(look ? [look.src] : [])]);
  const fonts = useFontRevision(familiesOf(drawn?.objects ?? []));
  const picture = look && pictures.get(look.src);
  const head = look?.head;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is painted again when fonts have loaded
  useEffect(() => {
    const ctx = canvas.current?.getContext('2d');
    if (!canvas.current || !ctx) return;
    const width = Math.max(1, Math.round((canvas.current.clientWidth || 320) * window.devicePixelRatio));
    const scale = width / size.width;
    Object.assign(canvas.current, { width, height: Math.round(size.height * scale) });
    const setter = openSetter();
    const scenery = { presenter: picture && head && { picture, head } };
    for (const scene of scenes)
      paintObject(ctx, drawableOf(scene, setter, pictures), [scale, 0, 0, scale, 0, 0], scenery);
  }, [scenes, pictures, picture, head, size, fonts]);
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas has no focus
  return <canvas ref={canvas} aria-hidden="true" style={{ aspectRatio: `${size.width} / ${size.height}` }} />;
});

/** The families of texts. */
function familiesOf(objects: readonly CanvasObject[]): string[] {
  return objects.flatMap(({ fontFamily, objects: parts }) => [
    ...(typeof fontFamily === 'string' ? [fontFamily] : []),
    ...(Array.isArray(parts) ? familiesOf(parts as CanvasObject[]) : []),
  ]);
}

/** A canvas without the pictures of other servers. */
function withoutForeign(canvas: Slide['canvas'], avatars: readonly Avatar[]): Slide['canvas'] {
  const own = new Set([location.origin, ...avatars.map(({ thumbnail }) => originOf(thumbnail ?? ''))]);
  const background = canvas?.background ?? '#ffffff';
  const isForeign = (address: unknown) => typeof address === 'string' && !own.has(originOf(address));
  return {
    ...canvas,
    background: /^(#|rgb|hsl|data:)/.test(background) || !isForeign(background) ? background : '#d9d5ca',
    objects: (canvas?.objects ?? []).map((object) => (isForeign(object.src) ? { ...object, src: '' } : object)),
  };
}

function originOf(address: string): string {
  return address.startsWith('data:') ? location.origin : new URL(address, location.origin).origin;
}
