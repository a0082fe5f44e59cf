import type { CanvasObject } from '@figurehead/sdk/document';

/** The object whose properties are shown, and how they change. */
export interface FieldsProps {
  readonly object: CanvasObject;
  readonly selected: number;
  readonly onChange: (change: Partial<CanvasObject>, kind?: string) => void;
}
