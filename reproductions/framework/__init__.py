"""What every reproduction uses: artefacts, comparisons with published numbers, pages."""
