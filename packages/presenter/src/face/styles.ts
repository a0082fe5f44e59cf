import type { Expression, PresenterState } from './contract.js';

/** Effect of an expression on the movements. */
export interface ExpressionStyle {
  /** Smile at rest and while speaking, 0…1. */
  readonly smile: { readonly rest: number; readonly speaking: number };
  /** Added to the brows' height. */
  readonly brow: number;
  /** Added to the width of an unrounded mouth. */
  readonly width: number;
  /** Factors on the jaw, the head's drift and attitudes, and nods. */
  readonly jaw: number;
  readonly head: number;
  readonly nod: number;
  /** Attitude of the head in radians: pitch (chin down is positive), and roll towards the presenter's preferred side. */
  readonly pitch: number;
  readonly roll: number;
  /** How far the lids are lowered between blinks, 0…1. */
  readonly lids: number;
}

/** The style of each expression. */
export const EXPRESSION_STYLES: Readonly<Record<Expression, ExpressionStyle>> = {
  neutral: { smile: { rest: 0, speaking: 0 }, brow: 0, width: 0, jaw: 1, head: 1, nod: 1, pitch: 0, roll: 0, lids: 0 },
  friendly: {
    smile: { rest: 0.68, speaking: 0.28 },
    brow: 0.16,
    width: 0.14,
    jaw: 1,
    head: 1.1,
    nod: 1.1,
    pitch: -0.006,
    roll: 0.016,
    lids: 0,
  },
  serious: {
    smile: { rest: 0, speaking: 0 },
    brow: -0.42,
    width: -0.08,
    jaw: 0.94,
    head: 0.6,
    nod: 0.85,
    pitch: 0.014,
    roll: 0,
    lids: 0.1,
  },
  excited: {
    smile: { rest: 0.55, speaking: 0.3 },
    brow: 0.5,
    width: 0.16,
    jaw: 1.14,
    head: 1.5,
    nod: 1.6,
    pitch: -0.012,
    roll: 0.008,
    lids: 0,
  },
};

/** Behaviour of eyes and head in a state. Gaze in degrees, head in radians. */
export interface StateStyle {
  /** Share of fixations that meet the camera. */
  readonly contact: number;
  /** Other gaze targets: centre (x towards the presenter's preferred side) and spread. */
  readonly gaze: { readonly x: number; readonly y: number; readonly spreadX: number; readonly spreadY: number };
  /** Attitude; yaw and roll towards the preferred side. */
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
  /** Factor on the head's drift. */
  readonly drift: number;
  readonly brow: number;
}

/** The style of each state. */
export const STATE_STYLES: Readonly<Record<PresenterState, StateStyle>> = {
  idle: {
    contact: 0.72,
    gaze: { x: 0, y: -0.3, spreadX: 3.2, spreadY: 1.2 },
    yaw: 0,
    pitch: 0,
    roll: 0,
    drift: 0.8,
    brow: 0,
  },
  listening: {
    contact: 0.8,
    gaze: { x: 0, y: -0.2, spreadX: 1.8, spreadY: 0.8 },
    yaw: 0.012,
    pitch: 0.008,
    roll: 0.018,
    drift: 0.6,
    brow: 0.1,
  },
  thinking: {
    contact: 0.15,
    gaze: { x: 4.6, y: 3.2, spreadX: 1.2, spreadY: 1 },
    yaw: 0.03,
    pitch: -0.016,
    roll: 0.014,
    drift: 0.7,
    brow: 0.12,
  },
  speaking: {
    contact: 0.76,
    gaze: { x: 0, y: -0.4, spreadX: 2.6, spreadY: 1.1 },
    yaw: 0,
    pitch: 0,
    roll: 0,
    drift: 1,
    brow: 0.05,
  },
};
