/** The website knows how to draw its diagrams, and has the programs for it. */
import '../apps/website/builder/draw-diagrams.ts'
