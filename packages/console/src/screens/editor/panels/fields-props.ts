import type { CanvasObject } from '@figurehead/sdk/document';

/** The object to edit, and the callback for changes. */
export interface FieldsProps {
  readonly object: CanvasObject;
  readonly selected: number;
  readonly onChange: (change: Partial<CanvasObject>, kind?: string) => void;
}
