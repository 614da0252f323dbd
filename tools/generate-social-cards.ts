/** The website's folder contains the code and the programs that draw a card for each of its sections. */
import '../apps/website/builder/draw-social-cards.ts'
