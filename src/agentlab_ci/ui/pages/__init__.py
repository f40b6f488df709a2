"""The pages, a module for each: from what is asked to what the store holds and the page that shows it."""
