"""Networks as torch modules, and what is made of them."""
