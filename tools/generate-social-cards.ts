/** The website knows its parts, and has the programs to draw a card for each. */
import '../apps/website/builder/draw-social-cards.ts'
