import type { Avatar, Slide } from '@figurehead/sdk';
import type { CanvasSize } from '@figurehead/sdk/document';
import { ActionIcon, Button, Group } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconPlus, IconTrash } from '@tabler/icons-react';
import { avatarOf, looksOf } from '../../api/catalogue.js';
import { backgroundOf, isText, objectsOf } from './document.js';

/** All slides in small, in order. */
export function SlideStrip(props: {
  readonly slides: readonly Slide[];
  readonly size: CanvasSize;
  readonly avatars: readonly Avatar[];
  readonly current: number;
  readonly onGo: (index: number) => void;
  readonly onAdd: () => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
  readonly onMove: (by: number) => void;
}) {
  const { slides, current } = props;
  return (
    <nav aria-label="Slides">
      <div className="fh-slides">
        {slides.map((slide, index) => (
          <button
            key={slide.id}
            type="button"
            className="fh-slide"
            aria-current={index === current}
            aria-label={`Slide ${index + 1}${slide.speech ? `: ${slide.speech.slice(0, 60)}` : ''}`}
            onClick={() => props.onGo(index)}
          >
            <Small slide={slide} size={props.size} picture={pictureOf(props.avatars, slide)} />
            <span className="fh-slide-number">{index + 1}</span>
          </button>
        ))}
      </div>
      <Group gap={2} mt={8} justify="space-between" wrap="nowrap">
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconPlus size={15} />}
          onClick={props.onAdd}
          disabled={slides.length >= 100}
        >
          Slide
        </Button>
      </Group>
      <Group gap={2} mt={4} wrap="nowrap">
        <ActionIcon aria-label="Move slide earlier" disabled={current === 0} onClick={() => props.onMove(-1)}>
          <IconArrowUp size={17} />
        </ActionIcon>
        <ActionIcon
          aria-label="Move slide later"
          disabled={current >= slides.length - 1}
          onClick={() => props.onMove(1)}
        >
          <IconArrowDown size={17} />
        </ActionIcon>
        <ActionIcon
          aria-label="Duplicate slide"
          onClick={props.onCopy}
          disabled={slides.length === 0 || slides.length >= 100}
        >
          <IconCopy size={17} />
        </ActionIcon>
        <ActionIcon aria-label="Delete slide" onClick={props.onRemove} disabled={slides.length === 0}>
          <IconTrash size={17} />
        </ActionIcon>
      </Group>
    </nav>
  );
}

/** The picture that stands for a slide's presenter. */
export function pictureOf(avatars: readonly Avatar[], slide: Slide): string | undefined {
  const code = slide.hasAvatar === false ? undefined : slide.avatar?.code;
  if (!code) return undefined;
  const avatar = avatarOf(avatars, code);
  return avatar && looksOf(avatar).find((look) => look.code === code)?.canvas;
}

/** A sketch of a slide: enough to tell slides apart, cheap enough for a hundred. */
function Small({ slide, size, picture }: { slide: Slide; size: CanvasSize; picture: string | undefined }) {
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
