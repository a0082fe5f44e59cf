import type { Chapter } from '@figurehead/contract';
import { ownedTable } from '../../kernel/database/owned-table.js';

export interface OutlineRow {
  id: string;
  workspaceId: string;
  title: string;
  prompt: string | null;
  source: string | null;
  language: string | null;
  chapters: Chapter[];
  writer: 'model' | 'extracted' | null;
  createdAt: Date;
  updatedAt: Date;
}

export const outlines = ownedTable<OutlineRow>('outlines', ['chapters']);
