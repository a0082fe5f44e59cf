// The font families of the renderer, so that the canvas matches the video. Browsers load only the subsets that are used.
import '@fontsource-variable/montserrat/wght.css';
import '@fontsource-variable/noto-sans/wght.css';
import '@fontsource-variable/noto-serif/wght.css';
import '@fontsource-variable/open-sans/wght.css';
import '@fontsource-variable/playfair-display/wght.css';
import '@fontsource-variable/roboto/wght.css';
import '@fontsource-variable/roboto-mono/wght.css';
import '@fontsource/lato/400.css';
import '@fontsource/lato/700.css';
