import { Text } from '@mantine/core';
import { pictureNamed } from './pictures.js';

/** A button with a picture of a layout or template. */
export function PictureTile(props: {
  readonly picture: string;
  readonly label: string;
  readonly about?: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" className="fh-start" disabled={props.disabled} onClick={props.onClick}>
      <img src={pictureNamed(props.picture)} alt="" loading="lazy" width={384} height={216} />
      <Text component="span" size="sm" fw={600} display="block">
        {props.label}
      </Text>
      {props.about && (
        <Text component="span" size="xs" c="dimmed" display="block">
          {props.about}
        </Text>
      )}
    </button>
  );
}
