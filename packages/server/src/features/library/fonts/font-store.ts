import type { Font } from '@figurehead/contract';
import { ownedTable } from '../../../kernel/database/owned-table.js';

/** A font as stored. */
export interface FontRow {
  id: string;
  workspaceId: string;
  name: string;
  family: string;
  style: string;
  weight: number;
  format: Font['format'];
  /** Bytes; PostgreSQL returns bigint as text. */
  size: string | number;
  fileKey: string;
  createdAt: Date;
  updatedAt: Date;
}

/** Fonts of workspaces. */
export const fonts = ownedTable<FontRow>('fonts');
