/** The website's folder contains the code and the programs that draw its diagrams. */
import '../apps/website/builder/draw-diagrams.ts'
