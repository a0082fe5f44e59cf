import type { Avatar, Slide } from '@figurehead/sdk';
import type { CanvasSize } from '@figurehead/sdk/document';
import { avatarOf, looksOf } from '../../api/catalogue.js';
import { backgroundOf, isText, objectsOf } from './document.js';

/** The picture that stands for a slide's presenter. */
export function pictureOf(avatars: readonly Avatar[], slide: Slide): string | undefined {
  const code = slide.hasAvatar === false ? undefined : slide.avatar?.code;
  if (!code) return undefined;
  const avatar = avatarOf(avatars, code);
  return avatar && looksOf(avatar).find((look) => look.code === code)?.canvas;
}

/** A sketch of a slide: enough to tell slides apart, cheap enough for a hundred. */
export function SlideSketch({ slide, size, picture }: { slide: Slide; size: CanvasSize; picture: string | undefined }) {
  const background = backgroundOf(slide);
  const plain = /^(#|rgb|hsl)/.test(background);
  const objects = objectsOf(slide);
  const standing = picture && !objects.some((object) => object.type === 'avatar');
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      <rect {...size} fill={plain ? background : '#d9d5ca'} />
      {!plain && <image href={background} {...size} preserveAspectRatio="xMidYMid slice" />}
      {standing && (
        <image
          href={picture}
          x={size.width * 0.1}
          y={size.height * 0.06}
          width={size.width * 0.8}
          height={size.height * 0.94}
          preserveAspectRatio="xMidYMid slice"
        />
      )}
      {objects.map((object, index) => {
        const [w, h] = [(object.width ?? 0) * (object.scaleX ?? 1), (object.height ?? 0) * (object.scaleY ?? 1)];
        const [x, y] = [object.left ?? 0, object.top ?? 0];
        const fill = typeof object.fill === 'string' ? object.fill : '#000';
        const href =
          object.type === 'avatar' ? picture : object.type === 'image' ? (object.src ?? undefined) : undefined;
        const key = `${index}-${object.type}`;
        if (isText(object)) {
          const fontSize = (object.fontSize ?? 40) * (object.scaleY ?? 1);
          return (
            <text key={key} x={x} y={y + fontSize} fontSize={fontSize} fontWeight={600} fill={fill}>
              {(object.text ?? '').split('\n')[0]?.slice(0, Math.max(4, Math.round(w / (fontSize * 0.5))))}
            </text>
          );
        }
        if (href)
          return <image key={key} href={href} x={x} y={y} width={w} height={h} preserveAspectRatio="xMidYMid slice" />;
        const round = object.type === 'circle' ? Math.max(w, h) / 2 : Number(object.rx ?? 0);
        return (
          <rect
            key={key}
            x={x}
            y={y}
            width={w}
            height={h}
            rx={round}
            fill={object.type === 'avatar' ? '#00000014' : fill}
          />
        );
      })}
    </svg>
  );
}
