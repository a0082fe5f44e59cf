import type { Avatar, Slide } from '@figurehead/sdk';
import { type CanvasObject, type CanvasSize, objectTypeOf, presenterBox } from '@figurehead/sdk/document';
import { memo, type ReactNode, type SyntheticEvent } from 'react';
import { avatarOf, looksOf, useAvatars } from '../api/catalogue.js';

/** The picture of a slide's presenter. */
export function pictureOf(avatars: readonly Avatar[], slide: Slide): string | undefined {
  const code = slide.hasAvatar === false ? undefined : slide.avatar?.code;
  if (!code) return undefined;
  const avatar = avatarOf(avatars, code);
  return avatar && looksOf(avatar).find((look) => look.code === code)?.canvas;
}

/**
 * A sketch of a slide: detailed enough to recognise it, cheap enough for a hundred. With `local` it shows only pictures from where this server
 * keeps its own, and asks no other server.
 */
export const SlideSketch = memo(function SlideSketch(props: {
  readonly slide: Slide;
  readonly size: CanvasSize;
  readonly local?: boolean;
}) {
  const { size } = props;
  const avatars = useAvatars().data ?? [];
  const slide = props.local ? withoutForeign(props.slide, avatars) : props.slide;
  const picture = pictureOf(avatars, slide);
  const background = slide.canvas?.background ?? '#ffffff';
  const plain = /^(#|rgb|hsl)/.test(background);
  const objects = slide.canvas?.objects ?? [];
  const isPlaced = objects.some((object) => object.type === 'avatar');
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      <rect {...size} fill={plain ? background : '#d9d5ca'} />
      {!plain && (
        <image key={background} href={background} {...size} onError={hide} preserveAspectRatio="xMidYMid slice" />
      )}
      {objects.map((object, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: objects need no id; their place is what names them
        <Placed key={index} object={object} picture={picture} />
      ))}
      {picture && !isPlaced && (
        <image
          key={picture}
          href={picture}
          onError={hide}
          {...presenterBox(size, objects.length > 0)}
          preserveAspectRatio="xMidYMax meet"
        />
      )}
    </svg>
  );
});

/** A slide without the pictures of other servers. */
function withoutForeign(slide: Slide, avatars: readonly Avatar[]): Slide {
  const own = new Set([location.origin, ...avatars.map(({ thumbnail }) => originOf(thumbnail ?? ''))]);
  const background = slide.canvas?.background ?? '#ffffff';
  const isForeign = (address: unknown) => typeof address === 'string' && !own.has(originOf(address));
  return {
    ...slide,
    canvas: {
      ...slide.canvas,
      background: /^(#|rgb|hsl|data:)/.test(background) || !isForeign(background) ? background : '#d9d5ca',
      objects: (slide.canvas?.objects ?? []).map((object) =>
        isForeign(object.src) ? { ...object, src: null } : object,
      ),
    },
  };
}

function originOf(address: string): string {
  return address.startsWith('data:') ? location.origin : new URL(address, location.origin).origin;
}

function Placed({ object, picture }: { readonly object: CanvasObject; readonly picture: string | undefined }) {
  const { left = 0, top = 0, width = 0, height = 0, scaleX = 1, scaleY = 1, angle = 0 } = object;
  const [x, y] = [shareOf(object.originX) * width, shareOf(object.originY) * height];
  return (
    <g
      opacity={object.opacity ?? 1}
      transform={`translate(${left} ${top}) rotate(${angle}) scale(${scaleX} ${scaleY}) translate(${-x} ${-y})`}
    >
      {drawn(object, picture)}
    </g>
  );
}

/** The object in its own box, which begins at 0, 0. */
function drawn(object: CanvasObject, picture: string | undefined): ReactNode {
  const { width = 0, height = 0 } = object;
  const paint = {
    fill: typeof object.fill === 'string' ? object.fill : object.fill === undefined ? '#000' : 'none',
    ...(typeof object.stroke === 'string' && { stroke: object.stroke, strokeWidth: object.strokeWidth ?? 1 }),
  };
  const type = objectTypeOf(object.type);
  if (type === 'text' || type === 'textbox') return <Words object={object} fill={paint.fill} />;
  if (type === 'avatar' || type === 'image') {
    const href = type === 'avatar' ? picture : (object.src ?? undefined);
    const round = type === 'avatar' && object.shape === 'circle';
    const fit = round
      ? 'xMidYMin slice'
      : type === 'avatar' || object.fit === 'cover'
        ? 'xMidYMax slice'
        : 'xMidYMid meet';
    return (
      <>
        {round && <ellipse cx={width / 2} cy={height / 2} rx={width / 2} ry={height / 2} fill={paint.fill} />}
        {href && (
          <image
            key={href}
            href={href}
            onError={hide}
            width={width}
            height={height}
            preserveAspectRatio={fit}
            style={round ? { clipPath: 'circle(50%)' } : undefined}
          />
        )}
      </>
    );
  }
  if (type === 'circle' || type === 'ellipse') {
    const [rx, ry] = [width / 2 || Number(object.radius ?? 0), height / 2 || Number(object.radius ?? 0)];
    return <ellipse cx={rx} cy={ry} rx={rx} ry={ry} {...paint} />;
  }
  if (type === 'path' && typeof object.path === 'string') {
    const { x, y } = { x: width / 2, y: height / 2, ...(object.pathOffset as object | null) };
    return (
      <path
        d={object.path}
        transform={`translate(${width / 2 - x} ${height / 2 - y})`}
        strokeLinecap="round"
        {...paint}
      />
    );
  }
  if (type === 'triangle') return <polygon points={`0,${height} ${width / 2},0 ${width},${height}`} {...paint} />;
  if (type === 'group' && Array.isArray(object.objects)) {
    return (
      <g transform={`translate(${width / 2} ${height / 2})`}>
        {(object.objects as CanvasObject[]).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <Placed key={index} object={part} picture={picture} />
        ))}
      </g>
    );
  }
  if (type === 'line') return <line x2={width} y2={height} stroke={String(object.stroke ?? '#000')} strokeWidth={3} />;
  return <rect width={width} height={height} rx={Number(object.rx ?? 0)} {...paint} />;
}

/** Letters of a text are about half as wide as they are high. */
const LETTER_WIDTH = 0.52;

function Words({ object, fill }: { readonly object: CanvasObject; readonly fill: string }) {
  const { fontSize = 40, width = 0, lineHeight = 1.16, textAlign } = object;
  const letters = Math.max(4, Math.floor(width / (fontSize * LETTER_WIDTH)));
  const anchor = { center: 'middle', right: 'end' }[String(textAlign)] ?? 'start';
  const x = { middle: width / 2, end: width }[anchor] ?? 0;
  return (
    <text
      fontSize={fontSize}
      fontWeight={object.fontWeight === 'bold' ? 700 : 400}
      textAnchor={anchor as 'start'}
      fill={fill}
    >
      {(object.text ?? '')
        .split('\n')
        .flatMap((line) => wrapped(line, letters))
        .map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
          <tspan key={index} x={x} y={fontSize * (0.9 + index * Number(lineHeight))}>
            {line}
          </tspan>
        ))}
    </text>
  );
}

function wrapped(line: string, letters: number): string[] {
  const lines = [''];
  for (const word of line.split(' ')) {
    const joined = `${lines.at(-1)} ${word}`.trim();
    if (joined.length > letters && lines.at(-1) !== '') lines.push(word);
    else lines[lines.length - 1] = joined;
  }
  return lines;
}

/** Position of an origin along its axis: 0 left or top, 1 right or bottom. */
export function shareOf(origin: unknown): number {
  if (typeof origin === 'number') return origin;
  return origin === 'center' ? 0.5 : origin === 'right' || origin === 'bottom' ? 1 : 0;
}

/** A picture that cannot be loaded leaves its place empty; browsers would draw their sign for it, as large as the picture. */
function hide({ currentTarget }: SyntheticEvent<SVGImageElement>): void {
  currentTarget.setAttribute('visibility', 'hidden');
}
