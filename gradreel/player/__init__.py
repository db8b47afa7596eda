"""Scene -> browser: JS modules, styles, the Streamlit mount, the HTML export."""
