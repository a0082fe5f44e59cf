import {
  type CanvasObject,
  type CanvasSize,
  creatableTypes,
  newObject,
  OBJECTS,
  type ObjectType,
} from '@figurehead/sdk/document';
import { Button, Group, Menu, Modal } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useAction } from '../../../api/client.js';
import { late } from '../../../lib/late.js';
import {
  IconCircle,
  IconIcons,
  IconLayersSubtract,
  IconLine,
  IconMovie,
  IconPhoto,
  IconPolygon,
  IconRectangle,
  IconTriangle,
  IconTriangleSquareCircle,
  IconTypography,
  IconUserSquareRounded,
} from '../../../shell/icons.js';
import { PickButton } from '../../../shell/pick-button.js';
import { Waiting } from '../../../shell/states.js';
import type { Picked } from '../../../shell/uploaded-medium.js';
import { newMedium } from '../document.js';
import { useEditor } from '../store.js';
import { sizeOf } from '../use-media.js';

const IconPicker = late(() => import('./icon-picker.js'));

/** Icons of the object types. */
const ICONS = {
  text: IconTypography,
  textbox: IconTypography,
  image: IconPhoto,
  rect: IconRectangle,
  circle: IconCircle,
  ellipse: IconCircle,
  triangle: IconTriangle,
  line: IconLine,
  path: IconPolygon,
  polygon: IconPolygon,
  polyline: IconLine,
  group: IconLayersSubtract,
  avatar: IconUserSquareRounded,
  video: IconMovie,
} as const satisfies Readonly<Record<ObjectType, typeof IconPhoto>>;

/** Objects that are a file. */
const MEDIA = [
  { kind: 'image', name: 'Picture' },
  { kind: 'video', name: 'Video' },
] as const;

const isWords = (type: ObjectType) => type === 'text' || type === 'textbox';

function Icon({ type }: { readonly type: ObjectType }) {
  const Drawn = ICONS[type];
  return <Drawn size={15} />;
}

/** Buttons that add objects to a slide. */
export function AddTools({ size }: { readonly size: CanvasSize }) {
  const { add, selectPresenter, store } = useEditor();
  const onAdd = (object: CanvasObject) => add([object]);
  const shapes = creatableTypes().filter(
    (type) => OBJECTS[type].edits.some((group) => group === 'fill') && !isWords(type),
  );
  const plain = creatableTypes().filter((type) => !shapes.includes(type));
  const [choosing, setChoosing] = useState(false);
  const placePresenter = () => {
    selectPresenter();
    if (store.getState().selected.length === 0) onAdd(newObject('avatar', size));
  };
  const put = useAction(
    async ({ kind, picked }: { kind: 'image' | 'video'; picked: Picked }) =>
      newMedium(kind, { src: picked.url, ...(await sizeOf(kind, picked)) }, size),
    { onDone: onAdd },
  );
  return (
    <Group gap={6}>
      {plain.map((type) => (
        <Button
          key={type}
          size="compact-sm"
          variant="default"
          leftSection={<Icon type={type} />}
          onClick={() => (type === 'avatar' ? placePresenter() : onAdd(newObject(type, size)))}
        >
          {OBJECTS[type].command ?? OBJECTS[type].label}
        </Button>
      ))}
      <Menu>
        <Menu.Target>
          <Button size="compact-sm" variant="default" leftSection={<IconTriangleSquareCircle size={15} />}>
            Shape
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {shapes.map((type) => (
            <Menu.Item key={type} leftSection={<Icon type={type} />} onClick={() => onAdd(newObject(type, size))}>
              {OBJECTS[type].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {MEDIA.map(({ kind, name }) => (
        <PickButton
          key={kind}
          kind={kind}
          onPick={(picked) => put.mutate({ kind, picked })}
          size="compact-sm"
          variant="default"
          leftSection={<Icon type={kind} />}
          loading={put.isPending && put.variables.kind === kind}
        >
          {name}
        </PickButton>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconIcons size={15} />}
        onClick={() => setChoosing(true)}
      >
        Icon
      </Button>
      <Modal opened={choosing} onClose={() => setChoosing(false)} title="Icons" size="lg">
        <Suspense fallback={<Waiting />}>
          <IconPicker
            size={size}
            onPick={(object) => {
              onAdd(object);
              setChoosing(false);
            }}
          />
        </Suspense>
      </Modal>
    </Group>
  );
}
