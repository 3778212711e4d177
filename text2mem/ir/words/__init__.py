"""Words as code reads them: terms, names, quotations, sentences. No meaning stands here."""
